/** Users: integer ids, and one user for an e-mail address, however many requests arrive at once. */

import { expect } from 'chai';
import { decoyHash, hashPassword } from '../../models/support/secrets.ts';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

describe('users', () => {
  const test = useStarted(() => openTestModels());

  const add = (email: string) => test.models.users.add({ email }, new Date());

  it('are numbered 1, 2, 3', async () => {
    for (const id of [1, 2, 3]) expect((await add(`${id}@example.com`))?._id).to.equal(id);
  });

  it('get an e-mail address once, however many requests arrive at once', async () => {
    const added = await Promise.all(Array.from({ length: 3 }, () => add('race@example.com')));
    expect(added.filter((user) => user !== null)).to.have.lengthOf(1);
  });

  it('cost as much work to verify when unknown as with a wrong password, through a decoy hash', async () => {
    const workOf = (hash: string) => hash.split('$').slice(0, 4).join('$'); // $argon2id$v=19$m=...,t=...,p=...$salt$hash
    expect(workOf(decoyHash)).to.equal(workOf(await hashPassword('any')));
  });

  it('cannot use the old password once another is set', async () => {
    const user = await test.models.users.add({ email: 'eve@example.com', password: 'old' }, new Date());
    if (!user) throw new Error('the user was not added');
    await test.models.users.setPassword(user, await hashPassword('new'));
    const changed = await test.models.users.findByEmail('eve@example.com');
    const verify = (password: string) => test.models.users.verifyPassword(changed, password);
    expect([await verify('old'), await verify('new')]).to.deep.equal([false, true]);
  });
});
