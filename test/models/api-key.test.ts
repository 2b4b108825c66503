/** Verification of API keys: by hash, to the millisecond, without a query for a mistyped one. */

import { expect } from 'chai';
import { generateSecret } from '../../models/api-key/store.ts';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

const now = new Date('2026-11-21T12:00:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);

describe('API keys', () => {
  const test = useStarted(() => openTestModels());
  before(async () => {
    await test.models.users.add({ email: 'ada@example.com' }, now);
  });

  const issue = (expiresAt: Date | null = null) =>
    test.models.apiKeys.issue({ userId: 1, name: 'test', scopes: ['read:catalog'], expiresAt }, now);
  const verify = (secret: string, at = now) => test.models.apiKeys.verify(secret, at);

  it('are valid from the moment they are issued', async () => {
    const { key, secret } = await issue();
    const verdict = await verify(secret);
    expect(verdict.refusal).to.equal(null);
    expect(verdict.key).to.deep.include({ _id: key._id, userId: 1, name: 'test', scopes: ['read:catalog'] });
  });

  it('end in the millisecond in which they expire', async () => {
    const { secret } = await issue(later(1000));
    expect((await verify(secret, later(999))).refusal).to.equal(null);
    expect((await verify(secret, later(1000))).refusal).to.equal('expired');
  });

  it('are revoked at once and permanently; a second revocation keeps the first time', async () => {
    const { key, secret } = await issue(later(1000));
    await test.models.apiKeys.revoke(key._id, now);
    const again = await test.models.apiKeys.revoke(key._id, later(500));
    expect(again?.revokedAt).to.deep.equal(now);
    expect((await verify(secret)).refusal).to.equal('revoked');
    expect((await verify(secret, later(2000))).refusal).to.equal('revoked');
  });

  it('answer null when a missing key is revoked', async () => {
    expect(await test.models.apiKeys.revoke('missing', now)).to.equal(null);
  });

  it('that were never issued are unknown', async () => {
    expect(await verify(generateSecret())).to.deep.equal({ key: null, refusal: 'unknown' });
  });

  it('that are mistyped are refused without a query', async () => {
    const closed = await openTestModels();
    await closed.stop();
    const verdict = await closed.models.apiKeys.verify('gamehost_live_mistyped', now);
    expect(verdict).to.deep.equal({ key: null, refusal: 'malformed' });
  });
});
