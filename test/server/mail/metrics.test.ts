/** The mail metrics at /metrics: what was sent, what failed and why, and what waits. */
import { expect } from 'chai';
import { findFreePort } from '../../../server/embedded-database/free-port.ts';
import { addCustomers } from '../../perf/customers.ts';
import { eventually } from '../../support/eventually.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startProgram } from '../../support/program.ts';
import { startSmtp } from '../../support/smtp-receiver.ts';

describe('the metrics of mail', () => {
  it('count sent mails and failed attempts, and show how many wait', async () => {
    const smtp = await startSmtp();
    const metricsPort = String(await findFreePort());
    const uri = testDatabaseUri();
    const program = await startProgram({
      ...{ MONGODB_URI: uri, METRICS_PORT: metricsPort, SUPPORT_EMAIL: 'support@host.example' },
      ...{ SMTP_URL: smtp.url, MAIL_FROM: 'noreply@host.example', WEBHOOK_RETRY_SECONDS: '3600' },
    });
    const [key = ''] = await addCustomers(uri, 1);
    const openTicket = () =>
      fetch(`${program.url}/api/v1/tickets`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ title: 'Help', message: 'It does not start.' }),
      });
    const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

    expect((await openTicket()).status).to.equal(201);
    await eventually(async () =>
      expect(await metrics())
        .to.include('gamehost_mail_attempts_total{outcome="success"} 1\n')
        .and.include('gamehost_mail_waiting 0\n')
        .and.include('gamehost_mail_oldest_pending_seconds 0\n'),
    );
    await smtp.stop();
    expect((await openTicket()).status).to.equal(201);
    await eventually(async () =>
      expect(await metrics())
        .to.include('gamehost_mail_waiting 1\n')
        .and.match(/gamehost_mail_attempts_total\{outcome="(?!success)\w+"\} 1\n/),
    );
    expect(await metrics()).to.not.include('gamehost_webhook_attempts_total{');
    await program.stop();
  });
});
