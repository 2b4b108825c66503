/** Subscriptions and announcements on the account page in a real browser. */
import { expect } from 'chai';
import {
  openKeyList,
  signIn,
  useAccountPage,
  waitForCount,
  waitForTexts,
} from '../../support/account-page.ts';
import { panelServer } from '../../support/panel/attributes.ts';

const dayMs = 24 * 60 * 60 * 1000;

describe('subscriptions and announcements on the account page', () => {
  const at = useAccountPage();

  it('show what a subscription is, its price, renewal and server, and copy its reference', async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    at.service.panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4', name: 'Hearthstead' })]);
    const [past, next] = [new Date('2026-02-01T12:00:00Z'), new Date('2099-12-01T12:00:00Z')];
    const stored = [
      { status: 'active', name: 'Hearthstead', price: '€12.00 a month', renewsAt: next },
      { status: 'canceled', name: 'Rust <b>Fortress</b>', renewsAt: past },
      { status: 'past_due', renewsAt: past },
    ];
    for (const [index, subscription] of stored.entries()) {
      const ids = { providerId: `${at.user._id}-${index}`, userId: at.user._id };
      await at.service.models.subscriptions.add({ ...subscription, ...ids }, past);
    }
    await at.arrive('/account#subscriptions');
    const list = at.entries('Subscriptions');
    const fact = (text: string) => list.filter({ hasText: text }).waitFor();
    await fact('Was due1 Feb 2026');
    await list
      .filter({ hasText: 'Payment is late' })
      .getByRole('heading', { name: 'Subscription' })
      .waitFor();
    await list.filter({ hasText: 'Rust <b>Fortress</b>' }).getByText('Ended').waitFor();
    await fact('€12.00 a monthActiveRenews1 Dec 2099');
    await waitForCount(list.getByRole('link'), 1);
    await at.isFit();
    await at.page.context().grantPermissions(['clipboard-write']);
    await at.button(/^Copy reference sub_.* of Hearthstead$/).click();
    await at.page.getByRole('status').getByText('Reference copied').waitFor();
    await at.link('Hearthstead').click();
    await at.heading('Hearthstead').waitFor();
  });

  it('show subscriptions with status and start in words, and point to the API if there are none', async () => {
    await at.arrive('/account#subscriptions');
    const link = at.link('Subscriptions in the API');
    expect(await link.getAttribute('href')).to.equal('/api/v1/docs#operations-tag-Subscriptions');
    const { subscriptions, transaction } = at.service.models;
    for (const [index, status] of ['active', 'past_due', 'on_hold'].entries()) {
      const subscription = { providerId: `${at.user._id}-${index}`, userId: at.user._id, status };
      const since = new Date(Date.UTC(2026, index, 5, 12));
      await transaction((session) => subscriptions.put([subscription], since, session));
    }
    await at.page.reload();
    const list = at.entries('Subscriptions');
    await list.filter({ hasText: 'On hold' }).getByText('5 Mar 2026').waitFor();
    await list.filter({ hasText: 'Payment is late' }).getByText('5 Feb 2026').waitFor();
    await list.filter({ hasText: 'Active' }).getByText('5 Jan 2026').waitFor();
    expect(await list.count()).to.equal(3);
  });

  describe('with unopened announcements', () => {
    const titles = () => at.page.getByRole('list', { name: 'Announcements' }).locator('.announcement-title');
    const areUnread = (count: number) =>
      at
        .link('News')
        .and(at.page.locator(`[aria-description="${count} to read"]`))
        .waitFor();
    const read = (title: string) => at.page.getByText(title, { exact: true }).click();

    beforeEach(async () => {
      const { announcements } = at.service.models;
      await at.service.connection.collection('announcements').deleteMany({});
      for (const [title, daysAgo, status] of [
        ['Maintenance', 9, 'published'],
        ['New games', 5, 'published'],
        ['Lower prices', 1, 'published'],
        ['Draft', 0, 'draft'],
      ] as const) {
        const content = { title, message: 'See https://status.example/now.', summary: '', tag: null };
        const now = new Date(at.service.clock.now() - daysAgo * dayMs);
        await announcements.add({ ...content, status, showInRibbon: false }, now);
      }
    });

    it('count them, and show them first after a reload', async () => {
      await openKeyList(at);
      await areUnread(3);
      await at.link('News').click();
      await read('Lower prices');
      await read('New games');
      await at.link('https://status.example/now').first().waitFor();
      await areUnread(1);
      await waitForTexts(titles(), ['Lower prices', 'New games', 'Maintenance']);
      await at.page.reload();
      await waitForTexts(titles(), ['Maintenance', 'Lower prices', 'New games']);
    });

    it('count them separately for each user of the same browser', async () => {
      await openKeyList(at);
      await at.link('News').click();
      await read('Lower prices');
      await areUnread(2);
      await at.button('Your account').click();
      await at.button('Sign out').click();
      await signIn(at.page, (await at.service.addUser()).email);
      await areUnread(3);
    });
  });
});
