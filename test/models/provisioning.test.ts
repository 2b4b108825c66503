/** The migration that lets existing users be provisioned and suspended. */

import { expect } from 'chai';
import { addProvisioning } from '../../models/migrations/index.ts';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

describe('the migration of existing users', () => {
  const test = useStarted(() => openTestModels());

  it('makes them active, without an external id, once', async () => {
    const createdAt = new Date('2026-01-01T00:00:00Z');
    const users = test.connection.collection<{ _id: number; email: string; createdAt: Date }>('users');
    await users.insertMany([1, 2].map((_id) => ({ _id, email: `u${_id}@example.com`, createdAt })));
    await addProvisioning(test.connection);
    const added = { isActive: true, externalId: null, sessionsEndedAt: null, updatedAt: createdAt };
    for (const id of [1, 2]) expect(await test.models.users.find(id)).to.deep.include(added);
    const put = { externalId: 'c1', email: 'c1@example.com', isActive: false };
    await test.models.provisioning.put(put, new Date());
    await addProvisioning(test.connection);
    expect(await test.models.users.findByExternalId('c1')).to.include({ isActive: false });
    const active = await test.models.users.listPage({ isActive: true, after: 0, limit: 10 });
    expect(active.map(({ _id }) => _id)).to.deep.equal([1, 2]);
  });
});
