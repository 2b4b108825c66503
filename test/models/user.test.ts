/** Users: integer ids, and one user to an e-mail address, whatever its case and however many ask at once. */

import { expect } from 'chai';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

describe('users', () => {
  const test = useStarted(() => openTestModels());

  const add = (email: string) => test.models.users.add({ email, password: 'correct horse' }, new Date());

  it('are numbered 1, 2, 3', async () => {
    const users = [
      await add('one@example.com'),
      await add('two@example.com'),
      await add('three@example.com'),
    ];
    expect(users.map((user) => user?._id)).to.deep.equal([1, 2, 3]);
  });

  it('are refused an e-mail address that is taken, however it is spelled', async () => {
    await add('Ada@Example.com');
    for (const email of ['ada@example.com', 'ADA@EXAMPLE.COM', ' ada@example.com '])
      expect(await add(email)).to.equal(null);
  });

  it('get an e-mail address once when several ask for it at once', async () => {
    const added = await Promise.all([
      add('race@example.com'),
      add('race@example.com'),
      add('Race@example.com'),
    ]);
    expect(added.filter((user) => user !== null)).to.have.lengthOf(1);
  });

  it('are found and changed by e-mail address, however it is spelled', async () => {
    const user = await add('grace@example.com');
    expect((await test.models.users.findByEmail(' GRACE@example.com'))?._id).to.equal(user?._id);
    const changed = await test.models.users.change('Grace@Example.com', { isAdmin: true, panelUserId: 7 });
    expect(changed).to.deep.include({ _id: user?._id, isAdmin: true, panelUserId: 7 });
  });

  it('that were not added are not found', async () => {
    expect(await test.models.users.find(999)).to.equal(null);
    expect(await test.models.users.findByEmail('nobody@example.com')).to.equal(null);
    expect(await test.models.users.change('nobody@example.com', { isAdmin: true })).to.equal(null);
  });
});
