/** A backup write whose process died before it stored the outcome: a retry under its key does not do it twice. */
import { expect } from 'chai';
import { panelBackup } from '../support/panel/attributes.ts';
import { manyBackups } from '../support/stand-in-panel.ts';
import { id, path, useBackup } from '../support/use-backup.ts';

interface Repetition {
  body?: object;
  /** Runs before the retry. */
  meanwhile?: () => void;
}

describe('a backup write retried after its process died', () => {
  const { service, setServer } = useBackup('pterodactyl');
  let calls = 0;

  /** Sends it, loses its outcome, and sends it again. */
  async function sendTwice(method: string, rest: string, { body, meanwhile = () => {} }: Repetition = {}) {
    calls += 1;
    const headers = { 'Idempotency-Key': `write-${calls}` };
    const send = () => service.call(method, rest, { key: service.key, headers, ...(body && { body }) });
    const first = await send();
    await service.connection
      .collection('idempotency_records')
      .updateMany({}, { $set: { answer: null, leaseEndsAt: new Date(0) } });
    meanwhile();
    return [first, await send()] as const;
  }

  const sent = (method: string) => service.panel.requests.filter((call) => call.method === method);
  const create = (body: object, meanwhile?: () => void) =>
    sendTwice('POST', `/servers/${id}/backups`, { body, ...(meanwhile && { meanwhile }) });

  beforeEach(() => {
    setServer({ feature_limits: manyBackups });
    service.panel.forget();
  });

  for (const [what, body] of [
    ['of the requested name', { name: 'Before the update' }],
    ['named by the panel', {}],
  ] as const)
    it(`returns the existing backup ${what} (201)`, async () => {
      const [first, second] = await create(body);
      expect([first.status, second.status]).to.deep.equal([201, 201]);
      expect(second.body).to.deep.equal(first.body);
      expect(sent('POST')).to.have.lengthOf(1);
    });

  it('creates another backup when none of that name was created in that minute (201)', async () => {
    const hourAgo = new Date(service.clock.now() - 3_600_000).toISOString();
    const replace = () => {
      service.panel.backups.set(id, [
        panelBackup({ uuid: 'older', name: 'Nightly', created_at: hourAgo }),
        panelBackup({
          uuid: 'other',
          name: 'Other',
          created_at: new Date(service.clock.now()).toISOString(),
        }),
      ]);
    };
    const [, second] = await create({ name: 'Nightly' }, replace);
    expect(second.status).to.equal(201);
    expect(second.body.backup.uuid).not.to.be.oneOf(['older', 'other']);
    expect(sent('POST')).to.have.lengthOf(2);
  });

  it('succeeds when the backup is already deleted (200)', async () => {
    const [first, second] = await sendTwice('DELETE', path);
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    expect(sent('DELETE')).to.have.lengthOf(1);
  });

  it('is accepted when the server is already being restored (202)', async () => {
    const [first, second] = await sendTwice('POST', `${path}/restore`, { body: {} });
    expect([first.status, second.status]).to.deep.equal([202, 202]);
    expect(sent('POST')).to.have.lengthOf(1);
  });
});
