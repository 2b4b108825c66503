/** Mail while processes are killed: every acknowledged ticket is told to support, and what comes twice has one Message-ID. */
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { addCustomers } from '../../perf/customers.ts';
import { type Fleet, startFleet } from '../../perf/faults/fleet.ts';
import { Load } from '../../perf/faults/load.ts';
import { eventually } from '../../support/eventually.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startSmtp } from '../../support/smtp-receiver.ts';
import { useStarted } from '../../support/use-started.ts';

/** Beyond 60 an hour of a customer, they would come collected. */
const customers = 6;
const tickets = 180;
const patienceMs = 200_000;

describe('mail that is due', () => {
  const smtp = useStarted(() => startSmtp({ user: 'mailer', password: 'a password' }));
  let uri: string;
  before(() => {
    uri = testDatabaseUri('mail_killed');
  });
  const fleet = useStarted<Fleet>(() =>
    startFleet(2, {
      ...{ MONGODB_URI: uri, SMTP_URL: smtp.url, MAIL_FROM: 'noreply@host.example' },
      ...{ SUPPORT_EMAIL: 'support@host.example', WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1,1,1,1' },
    }),
  );

  it('all arrives though each process is killed in turn, and with one Message-ID however often', async () => {
    const keys = await addCustomers(uri, customers);
    const load = new Load({
      ...{ urls: fleet.urls, keys: [...keys, ...keys], timeoutMs: patienceMs },
      ...{ ticketsMax: tickets, repliesPerTicket: 0 },
    });
    for (const index of [0, 1, 0, 1]) {
      await Promise.race([load.acknowledges(10).catch(() => {}), pass(2000)]);
      await fleet.kill(index);
      await fleet.restart(index);
    }
    const { acknowledged } = await load.ends();
    const idsOf = (ticketId: number) =>
      smtp.received
        .filter(({ subject }) => subject.startsWith(`Ticket #${ticketId}:`))
        .map(({ headers }) => headers.get('message-id'));
    await eventually(async () => {
      const missing = acknowledged.filter(({ ticketId }) => idsOf(ticketId).length === 0);
      expect(missing).to.have.lengthOf(0);
    }, patienceMs);
    for (const { ticketId } of acknowledged) expect(new Set(idsOf(ticketId)).size, `${ticketId}`).to.equal(1);
    expect(smtp.received.every(({ user, isEncrypted }) => user === 'mailer' && isEncrypted)).to.equal(true);
    expect(fleet.output()).not.to.match(/unhandled|TypeError/i);
  });
});
