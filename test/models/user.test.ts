/** Users: integer ids, and one user to an e-mail address, however many ask at once. */

import { expect } from 'chai';
import { migrations } from '../../models/migrations/index.ts';
import { decoyHash, hashPassword } from '../../models/support/secrets.ts';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

describe('users', () => {
  const test = useStarted(() => openTestModels());

  const add = (email: string) => test.models.users.add({ email }, new Date());

  it('are numbered 1, 2, 3', async () => {
    for (const id of [1, 2, 3]) expect((await add(`${id}@example.com`))?._id).to.equal(id);
  });

  it('get an e-mail address once, however many ask at once', async () => {
    const added = await Promise.all(Array.from({ length: 3 }, () => add('race@example.com')));
    expect(added.filter((user) => user !== null)).to.have.lengthOf(1);
  });

  it('are found and changed by e-mail address', async () => {
    const user = await add('grace@example.com');
    expect((await test.models.users.findByEmail('grace@example.com'))?._id).to.equal(user?._id);
    const changed = await test.models.users.change('grace@example.com', { isAdmin: true, panelUserId: 7 });
    expect(changed).to.deep.include({ _id: user?._id, isAdmin: true, panelUserId: 7 });
  });

  it('that were not added are not found', async () => {
    expect(await test.models.users.find(999)).to.equal(null);
    expect(await test.models.users.findByEmail('nobody@example.com')).to.equal(null);
    expect(await test.models.users.change('nobody@example.com', { isAdmin: true })).to.equal(null);
  });

  it('that are unknown cost as much work to verify as a wrong password, by a decoy', async () => {
    const workOf = (hash: string) => hash.split('$').slice(0, 4).join('$'); // $argon2id$v=19$m=...,t=...,p=...$salt$hash
    expect(workOf(decoyHash)).to.equal(workOf(await hashPassword('any')));
  });

  it('are refused the old password once another is set', async () => {
    const user = await test.models.users.add({ email: 'eve@example.com', password: 'old' }, new Date());
    if (!user) throw new Error('the user was not added');
    await test.models.users.setPassword(user, await test.models.users.hashPassword('new'));
    const changed = await test.models.users.findByEmail('eve@example.com');
    const verify = (password: string) => test.models.users.verifyPassword(changed, password);
    expect([await verify('old'), await verify('new')]).to.deep.equal([false, true]);
  });

  it('who have one panel user at an upgrade leave it to staff, or else to the oldest, and the migration names the others', async () => {
    const users = test.connection.collection('users');
    await users.dropIndex('panelUserId_1');
    const ids: number[] = [];
    for (const panelUserId of [17, 17, 17, 18, 18, 19]) {
      const user = await add(`${panelUserId}-${ids.length}@panel.example`);
      await users.updateOne({ email: user?.email }, { $set: { panelUserId } });
      ids.push(user?._id ?? 0);
    }
    const [first, second, third, fourth, fifth] = ids;
    await test.models.users.change('18-4@panel.example', { isSupport: true });
    const [unique] = migrations.filter(({ name }) => name === 'A panel user belongs to one user');
    const lines: string[] = [];
    for (let times = 0; times < 2; times += 1)
      await unique?.up?.(test.connection, (line) => void lines.push(line));
    const found = await Promise.all(ids.map((id) => test.models.users.find(id)));
    expect(found.map((user) => user?.panelUserId)).to.deep.equal([17, null, null, null, 18, 19]);
    expect(lines.sort()).to.deep.equal([
      `Panel user 17 stays with user ${first}; taken from: ${second}, ${third}`,
      `Panel user 18 stays with user ${fifth}; taken from: ${fourth}`,
    ]);
    const statuses = await test.models.listIndexes();
    const states = statuses.filter(({ collection }) => ['users', 'webhooks'].includes(collection));
    expect(new Set(states.map(({ state }) => state))).to.deep.equal(new Set(['built']));
  });
});
