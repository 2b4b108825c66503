/** Webhooks while MongoDB loses its primary: the event of every acknowledged write arrives, and sending resumes by itself. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { addCustomers } from '../../perf/customers.ts';
import { eventually } from '../../support/eventually.ts';
import { startProgram } from '../../support/program.ts';
import { TestReplicaSet } from '../../support/replica-set.ts';
import { useStarted } from '../../support/use-started.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

describe('webhooks while MongoDB elects a primary', () => {
  // With a shorter timeout, members on a busy machine would keep taking each other for dead.
  const set = useStarted(() => TestReplicaSet.start({ electionTimeoutMillis: 5000 }));
  const program = useStarted(() =>
    startProgram({
      MONGODB_URI: set.uri,
      SECRETS_KEY: Buffer.alloc(32, 'failover').toString('hex'),
      WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.0/8',
      WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1,1,1,1',
      RATE_LIMIT_PER_MINUTE: '10000',
    }),
  );
  const receiver = useStarted(startReceiver);

  it('deliver all events of acknowledged writes, from before, during and after, each with one id', async () => {
    const [key = ''] = await addCustomers(set.uri, 1);
    const call = async (path: string, body: object) => {
      const headers = {
        ...{ 'X-API-Key': key, 'Content-Type': 'application/json' },
        ...(path === '/tickets' && { 'Idempotency-Key': randomUUID() }),
      };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return eventually(async () => {
        const response = await fetch(`${program.url}/api/v1${path}`, init);
        expect(response.status).to.equal(201);
        return response.json();
      }, 200_000);
    };
    await call('/webhooks', { url: receiver.url, events: ['ticket.created'] });
    const open = async (title: string) =>
      ((await call('/tickets', { title, message: 'x' })) as { ticket: { id: number } }).ticket.id;
    const openMany = (when: string) =>
      Promise.all(Array.from({ length: 10 }, (_, index) => open(`${when} ${index}`)));
    const before = await openMany('before');
    const killed = set.killPrimary();
    const during = await openMany('during');
    await set.restart(await killed);
    const acknowledged = [...before, ...during, ...(await openMany('after'))];
    await eventually(async () => {
      const arrived = receiver.received.map(({ body }) => body.data.ticket.id);
      expect(arrived).to.include.members(acknowledged);
    }, 120_000);
    expect(receiver.countById().size).to.equal(acknowledged.length);
    expect(await program.stop()).to.equal(0);
  });
});
