/** Suspension ends every key and session at once, in every process; resuming brings the keys back. */
import { expect } from 'chai';
import { createModels } from '../../../models/index.ts';
import type { UserRecord } from '../../../models/user.ts';
import { connectMongoose } from '../../../server/database.ts';
import { expectError } from '../../support/expect-error.ts';
import { useAdmin } from '../../support/use-key.ts';

describe('suspension', () => {
  const service = useAdmin({ rateLimitPerMinute: 1000 });
  let user: UserRecord;
  const message = 'API key suspended: its owner is suspended';

  beforeEach(async () => {
    await service.connection.collection('users').deleteMany({ externalId: 'c1' });
    const outcome = await service.models.provisioning.put(
      { externalId: 'c1', email: 'c1@example.com' },
      now(),
    );
    if (!('user' in outcome)) throw new Error('the address is taken');
    ({ user } = outcome);
  });

  const now = () => new Date(service.clock.now());
  const setActive = (active: boolean) =>
    service.call('PUT', '/admin/users/c1', { key: service.key, body: { email: 'c1@example.com', active } });
  const me = (key: string) => service.call('GET', '/me', { key });

  it('refuses every key with a message that says suspended, and resuming restores them (401 unauthorized)', async () => {
    const keys = [await service.addKey({ user }), await service.addKey({ user })];
    await setActive(false);
    for (const { secret } of keys) expectError(await me(secret), 'unauthorized', message);
    const { body } = await setActive(true);
    expect(body.user.active).to.equal(true);
    for (const { secret } of keys) expect((await me(secret)).status).to.equal(200);
  });

  it("changes only the user's state", async () => {
    const { secret } = await service.addKey({ user });
    const { status, body } = await service.call('PUT', '/admin/users/c1', {
      key: service.key,
      body: { active: false },
    });
    expect([status, body.user.email, body.user.active]).to.deep.equal([200, 'c1@example.com', false]);
    expectError(await me(secret), 'unauthorized', message);
  });

  it('takes effect in another process at once', async () => {
    const { secret } = await service.addKey({ user });
    const connection = await connectMongoose(service.databaseUri);
    const other = createModels(connection);
    const { token } = await other.sessions.open({ user }, now());
    expect((await other.apiKeys.verify(secret, now())).refusal).to.equal(null);
    await setActive(false);
    expect((await other.apiKeys.verify(secret, now())).refusal).to.equal('suspended');
    expect(await other.sessions.verify(token, now())).to.equal(null);
    await connection.close();
  });

  it('ends every session for good', async () => {
    const { token } = await service.models.sessions.open({ user }, now());
    expect(await service.models.sessions.verify(token, now())).to.not.equal(null);
    await setActive(false);
    expect(await service.models.sessions.verify(token, now())).to.equal(null);
    await setActive(true);
    expect(await service.models.sessions.verify(token, now())).to.equal(null);
  });

  it('ends a session that is just being opened, even after resuming', async () => {
    const before = now();
    await setActive(false);
    const { token } = await service.models.sessions.open({ user }, before);
    expect(await service.models.sessions.verify(token, now())).to.equal(null);
    await setActive(true);
    expect(await service.models.sessions.verify(token, now())).to.equal(null);
  });

  it('applies to a key issued while the user is suspended', async () => {
    await setActive(false);
    const { secret } = await service.addKey({ user });
    expectError(await me(secret), 'unauthorized', message);
    await setActive(true);
    expect((await me(secret)).status).to.equal(200);
  });

  it('leaves revoked keys revoked and other users unaffected', async () => {
    const revoked = await service.addKey({ user });
    await service.models.apiKeys.revoke(revoked.key._id, now());
    const { secret: other } = await service.addKey();
    await setActive(false);
    expect((await me(other)).status).to.equal(200);
    await setActive(true);
    expectError(await me(revoked.secret), 'unauthorized', 'API key revoked');
  });
});
