/** Writes of backups whose process died before it could tell how they ended: a repetition under their key does none twice. */
import { expect } from 'chai';
import { panelBackup } from '../support/panel/attributes.ts';
import { manyBackups } from '../support/stand-in-panel.ts';
import { id, path, useBackup } from '../support/use-backup.ts';

interface Repetition {
  body?: object;
  /** What happens before it is sent again. */
  meanwhile?: () => void;
}

describe(`a write of backups that is repeated after its process died`, () => {
  const { service, setServer } = useBackup('pterodactyl');
  let calls = 0;

  /** Sends it, loses what became of it, and sends it again. */
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
    ['with a name', { name: 'Before the update' }],
    ['that the panel names', {}],
  ] as const)
    it(`201: is the backup ${what} that there is already`, async () => {
      const [first, second] = await create(body);
      expect([first.status, second.status]).to.deep.equal([201, 201]);
      expect(second.body).to.deep.equal(first.body);
      expect(sent('POST')).to.have.lengthOf(1);
    });

  it('201: is another backup where none of that name is of that minute', async () => {
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

  it('200: is done where the backup is deleted already', async () => {
    const [first, second] = await sendTwice('DELETE', path);
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    expect(sent('DELETE')).to.have.lengthOf(1);
  });

  it('202: is accepted where the server is being restored already', async () => {
    const [first, second] = await sendTwice('POST', `${path}/restore`, { body: {} });
    expect([first.status, second.status]).to.deep.equal([202, 202]);
    expect(sent('POST')).to.have.lengthOf(1);
  });
});
