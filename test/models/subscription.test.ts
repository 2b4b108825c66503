/** Subscriptions: one to a provider's id, however many record it at once. */

import { expect } from 'chai';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

describe('subscriptions', () => {
  const test = useStarted(() => openTestModels());

  const add = (providerId: string, userId = 1) =>
    test.models.subscriptions.add({ userId, providerId, status: 'active' }, new Date());

  it("refuse a provider's id that another subscription has", async () => {
    expect((await add('prov_1'))?.reference).to.match(/^sub_[0-9a-f]{32}$/);
    expect(await add('prov_1')).to.equal(null);
    expect(await add('prov_1', 2)).to.equal(null);
  });

  it("take a provider's id once when several record it at once", async () => {
    const added = await Promise.all([add('prov_2'), add('prov_2'), add('prov_2')]);
    expect(added.filter((subscription) => subscription !== null)).to.have.lengthOf(1);
  });
});
