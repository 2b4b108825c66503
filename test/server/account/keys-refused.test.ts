/** Refusals when a user creates or rotates keys: too many keys, and invalid fields by name. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { scopes } from '../../../routers/scopes.ts';
import { type Account, signedIn } from '../../support/account.ts';
import { useService } from '../../support/service.ts';

const request = { name: 'Deploy', scopes: ['read:account' as const], expires_at: null };

describe('keys.create and keys.rotate refuse', () => {
  const service = useService();
  let user: UserRecord;
  let account: Account;

  beforeEach(async () => {
    user = await service.addUser();
    account = await signedIn(service.url, user);
  });

  const create = () => account.api.keys.create.mutate(request);

  it('the 26th live key with 400', async () => {
    const { apiKeyQuota } = service.models;
    const newKey = { ...request, userId: user._id, expiresAt: null };
    for (let count = 0; count < 25; count += 1) await apiKeyQuota.add(newKey, new Date());
    const answer = await account.call('keys.create', request);
    expect([answer.status, answer.body.error.message]).to.deep.equal([
      400,
      'You have 25 live keys; revoke one first',
    ]);
  });

  const refused: Record<string, [overrides: object, message: string]> = {
    'no name': [{ name: '   ' }, 'name must not be empty'],
    'a name too long': [{ name: 'x'.repeat(101) }, 'name must be at most 100 characters'],
    'no scope': [{ scopes: [] }, 'scopes must not be empty'],
    'an unknown scope': [{ scopes: ['write:all'] }, `scopes.0 must be one of ${scopes.join(', ')}`],
    'an expiry in the past': [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at must be in the future'],
    'an expiry that is no date': [{ expires_at: 'tomorrow' }, 'expires_at must be a valid datetime'],
    'an unknown field': [{ userId: 1 }, 'userId is not a known field'],
    'an operator object': [{ name: { $ne: '' } }, 'name must be a string'],
  };
  for (const [what, [overrides, message]] of Object.entries(refused))
    it(`${what} with 400`, async () => {
      const answer = await account.call('keys.create', { ...request, ...overrides });
      expect(answer.status).to.equal(400);
      expect(answer.body.error.message).to.equal(message);
    });

  it('an overlap that is not offered with 400', async () => {
    const { key } = await create();
    const answer = await account.call('keys.rotate', { id: key.id, overlap_hours: 1000 });
    expect(answer.body.error.message).to.equal('overlap_hours must be one of 0, 1, 24');
  });
});
