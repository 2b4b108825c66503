/** Password verification; an unknown e-mail address costs as much work as a wrong password. */

import { expect } from 'chai';
import { decoyHash, hashPassword } from '../../models/support/secrets.ts';
import { openTestModels, type TestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

const now = new Date('2026-11-21T09:00:00Z');

/** Of `$argon2id$v=19$m=...,t=...,p=...$salt$hash`, the part that sets the cost. */
const workOf = (hash: string) => hash.split('$').slice(0, 4).join('$');

describe('verifyPassword', () => {
  const stores = useStarted(() => openTestModels());
  let users: TestModels['models']['users'];

  before(async () => {
    users = stores.models.users;
    await users.add({ email: 'Ann@Example.com', password: 'right' }, now);
  });

  const verify = async (email: string, password: string) =>
    users.verifyPassword(await users.findByEmail(email), password);

  it('accepts the right password of the user with this e-mail address in any case', async () => {
    expect(await verify('ANN@example.com', 'right')).to.equal(true);
  });

  it('refuses a wrong password and an unknown e-mail address', async () => {
    expect(await verify('ann@example.com', 'wrong')).to.equal(false);
    expect(await verify('bob@example.com', 'right')).to.equal(false);
  });

  it('refuses the old password once another is set', async () => {
    const user = await users.add({ email: 'eve@example.com', password: 'old' }, now);
    await users.setPassword(user?._id ?? 0, 'new');
    expect(await verify('eve@example.com', 'old')).to.equal(false);
    expect(await verify('eve@example.com', 'new')).to.equal(true);
  });

  it('verifies an unknown e-mail address against a decoy with the cost of a real hash', async () => {
    expect(workOf(decoyHash)).to.equal(workOf(await hashPassword('any')));
  });
});
