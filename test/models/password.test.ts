/** Who signs in, and that an unknown address costs as much work as a wrong password. */
import { expect } from 'chai';
import { decoyHash, hashPassword } from '../../models/password.ts';
import { openTestModels, type TestModels } from '../support/models.ts';

const now = new Date('2026-11-21T09:00:00Z');

/** Of `$argon2id$v=19$m=...,t=...,p=...$salt$hash`, what says how much work it takes. */
const workOf = (hash: string) => hash.split('$').slice(0, 4).join('$');

describe('findByPassword', () => {
  let stores: TestModels;
  let users: TestModels['models']['users'];

  before(async () => {
    stores = await openTestModels();
    users = stores.models.users;
    await users.add({ email: 'Ann@Example.com', password: 'right' }, now);
  });
  after(() => stores.close());

  it('finds the user by the right password, whatever the case of the address', async () => {
    expect((await users.findByPassword('ANN@example.com', 'right'))?.email).to.equal('ann@example.com');
  });

  it('finds nobody by a wrong password or an unknown address', async () => {
    expect(await users.findByPassword('ann@example.com', 'wrong')).to.equal(null);
    expect(await users.findByPassword('bob@example.com', 'right')).to.equal(null);
  });

  it('finds nobody by the old password once another is set', async () => {
    const user = await users.add({ email: 'eve@example.com', password: 'old' }, now);
    await users.setPassword(user?._id ?? 0, 'new');
    expect(await users.findByPassword('eve@example.com', 'old')).to.equal(null);
    expect(await users.findByPassword('eve@example.com', 'new')).not.to.equal(null);
  });

  it('verifies an unknown address against a decoy of the same work as a real hash', async () => {
    expect(workOf(decoyHash)).to.equal(workOf(await hashPassword('any')));
  });
});
