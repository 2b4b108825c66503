/** Secrets are shown once and stored nowhere: not in the database, a log line or any other answer. */
import { expect } from 'chai';
import { generateSecret } from '../../models/api-key/secret.ts';
import { addSamples, keyedOperations, sampleOf } from '../support/samples.ts';
import { useService } from '../support/service.ts';

describe('secrets', () => {
  const service = useService({ logLevel: 'info' });
  let secrets: Record<string, string>;
  const answers: string[] = [];

  before(async () => {
    const { user, key } = await addSamples(service);
    const revoked = await service.addKey({ user });
    await service.models.apiKeys.revoke(revoked.key._id, new Date());
    const unknown = generateSecret();
    const mistyped = `${key.slice(0, -1)}_`;
    const { applicationKey, clientKey } = service.panel;
    secrets = {
      key,
      revoked: revoked.secret,
      unknown,
      mistyped,
      applicationKey,
      clientKey,
      password: 'correct horse',
    };

    for (const sent of [key, revoked.secret, unknown, mistyped])
      for (const row of keyedOperations) await exchange(row, sent);
    service.panel.respondWith({ status: 500, body: `failed with ${applicationKey} and ${clientKey}` });
    service.clock.advance(60_000);
    for (const row of keyedOperations) await exchange(row, key);
    await service.flushAudit();
  });

  async function exchange(row: (typeof keyedOperations)[number], key: string) {
    const { method, path, body } = sampleOf(row);
    const { headers, text } = await service.call(method, path, { key, body });
    answers.push(JSON.stringify([...headers]), text);
  }

  /** The random part of a key, as it may appear inside longer text or truncated. */
  const tellingPart = (secret: string) => secret.replace('gamehost_live_', '').slice(8, 32);

  function expectAbsent(text: string, where: string): void {
    for (const [name, secret] of Object.entries(secrets))
      expect(text.includes(tellingPart(secret)), `${name} in ${where}`).to.equal(false);
  }

  it('appear in no collection of the database', async () => {
    const collections = await service.connection.listCollections();
    expect(collections.map(({ name }) => name)).to.include.members(['api_keys', 'users', 'audit_entries']);
    for (const { name } of collections) {
      const documents = await service.connection.collection(name).find().toArray();
      expectAbsent(JSON.stringify(documents), name);
    }
  });

  it('appear in no line of the log, even when the panel sends them back', () => {
    expect(service.logLines.join()).to.include('panel call failed');
    expectAbsent(service.logLines.join(), 'the log');
  });

  it('appear in no answer', () => {
    expect(answers.join()).to.include('upstream_error');
    expectAbsent(answers.join(), 'an answer');
  });

  it('are stored only as a hash and a prefix, which do not reveal a key', async () => {
    const [stored] = await service.connection.collection('api_keys').find().toArray();
    expect(stored)
      .to.have.property('hash')
      .that.matches(/^[0-9a-f]{64}$/);
    expect(stored)
      .to.have.property('prefix')
      .that.matches(/^gamehost_live_[0-9A-Za-z]{6}$/);
  });

  it('leave a password hash that is costly to try', async () => {
    const newUser = { email: 'ada@example.com', password: 'correct horse' };
    const user = await service.models.users.add(newUser, new Date());
    expect(user)
      .to.have.property('passwordHash')
      .that.matches(/^\$argon2id\$v=19\$m=\d{5,},t=\d+,p=\d+\$/);
  });
});
