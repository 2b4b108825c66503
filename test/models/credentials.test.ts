/** Whose a webhook is, in a database of a release that did not keep it. */
import { expect } from 'chai';
import { migrations } from '../../models/migrations/index.ts';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

describe('an upgrade', () => {
  const test = useStarted(() => openTestModels());

  it('hands webhooks on to the keys that took the place of those which are removed', async () => {
    const [start, overlap, later] = [0, 1, 2].map((hour) => new Date(Date.UTC(2026, 0, 1, hour)));
    await test.connection.collection<{ _id: string; [field: string]: unknown }>('api_keys').insertMany([
      { _id: 'old', hash: '1', createdAt: start, expiresAt: later, replacedBy: 'new' },
      { _id: 'new', hash: '2', createdAt: overlap, expiresAt: overlap, replacedBy: 'cut' },
      { _id: 'cut', hash: '3', createdAt: overlap, expiresAt: null, replacedBy: null },
    ]);
    const webhooks = test.connection.collection<{ _id: string; keyId: string }>('webhooks');
    await webhooks.insertMany([
      { _id: 'a', keyId: 'old' },
      { _id: 'b', keyId: '' },
    ]);
    const [expire] = migrations.filter(({ name }) => name.includes('are removed'));
    for (let times = 0; times < 2; times += 1) await expire?.up?.(test.connection);
    const [handed, ofPage] = await webhooks.find().sort({ _id: 1 }).toArray();
    expect(handed).to.include({ keyId: 'old', heldBy: 'new' });
    expect(ofPage).to.deep.equal({ _id: 'b', keyId: '' });
  });
});
