/** Subscriptions and announcements on the account page in a real browser. */
import { expect } from 'chai';
import { enter, openSection, stageAccountPage, widthBeyond } from '../../support/account-page.ts';
import { seriousBarriers } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';

const dayMs = 24 * 60 * 60 * 1000;

describe('subscriptions on the account page', () => {
  const at = stageAccountPage();
  const open = async () => {
    await enter(at);
    await at.page.getByRole('link', { name: 'Subscriptions', exact: true }).click();
  };

  it('are listed with their status in words, and since when there is each', async () => {
    const { subscriptions, transaction } = at.service.models;
    for (const [index, status] of ['active', 'past_due', 'on_hold'].entries())
      await transaction((session) =>
        subscriptions.put(
          { providerId: `${at.user._id}-${index}`, userId: at.user._id, status },
          new Date(Date.UTC(2026, index, 5, 12)),
          session,
        ),
      );
    await open();
    const list = at.page.getByRole('list', { name: 'Subscriptions' }).getByRole('listitem');
    await list.filter({ hasText: 'On hold' }).getByText('Since 5 Mar 2026').waitFor();
    await list.filter({ hasText: 'Payment is late' }).getByText('Since 5 Feb 2026').waitFor();
    await list.filter({ hasText: 'Active' }).getByText('Since 5 Jan 2026').waitFor();
    expect(await list.count()).to.equal(3);
    expect(await list.allTextContents()).not.to.include.members(['providerId']);
  });

  it('lead to the API where there are none', async () => {
    await open();
    const link = at.page.getByRole('link', { name: 'Subscriptions in the API' });
    await link.waitFor();
    expect(await link.getAttribute('href')).to.equal('/api/v1/docs#operations-tag-Subscriptions');
  });
});

describe('announcements on the account page', () => {
  const at = stageAccountPage();
  const tab = (name: string) =>
    at.page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name });
  const titles = () =>
    at.page.getByRole('list', { name: 'Announcements' }).locator('.announcement-title').allTextContents();
  const unread = () => tab('News').getAttribute('aria-description');

  const announce = async (title: string, daysAgo: number) => {
    const content = { title, message: `${title}: see https://status.example/now.`, summary: '', tag: null };
    await at.service.models.announcements.add(
      { ...content, status: 'published', showInRibbon: false },
      new Date(at.service.clock.now() - daysAgo * dayMs),
    );
  };

  beforeEach(async () => {
    await at.service.connection.collection('announcements').deleteMany({});
    for (const [title, daysAgo] of [
      ['Maintenance', 9],
      ['New games', 5],
      ['Lower prices', 1],
    ] as const)
      await announce(title, daysAgo);
    await at.service.models.announcements.add(
      { title: 'Draft', message: 'x', summary: '', tag: null, status: 'draft', showInRibbon: false },
      new Date(at.service.clock.now()),
    );
  });

  it('are read by opening them, which the tab counts, and the unread ones come first from then on', async () => {
    await enter(at);
    await eventually(async () => expect(await unread()).to.equal('3 to read'));
    await tab('News').click();
    await at.page.getByText('Lower prices', { exact: true }).click();
    await at.page.getByText('New games', { exact: true }).click();
    const link = at.page.getByRole('link', { name: 'https://status.example/now' }).first();
    await link.waitFor();
    await eventually(async () => expect(await unread()).to.equal('1 to read'));
    expect(await titles()).to.deep.equal(['Lower prices', 'New games', 'Maintenance']);
    await at.page.reload();
    await at.page.getByText('Maintenance', { exact: true }).waitFor();
    expect(await titles()).to.deep.equal(['Maintenance', 'Lower prices', 'New games']);
    expect(await at.page.getByText('Draft', { exact: true }).count()).to.equal(0);
  });

  it('work by keyboard, fit on a phone in the dark, and have no serious axe violation', async () => {
    await at.page.setViewportSize({ width: 360, height: 780 });
    await at.page.emulateMedia({ colorScheme: 'dark' });
    await announce('x'.repeat(200), 0);
    await enter(at);
    await openSection(at.page, 'News');
    await at.page.getByText('Maintenance', { exact: true }).locator('xpath=ancestor::summary').focus();
    await at.page.keyboard.press('Enter');
    await at.page.getByRole('link', { name: 'https://status.example/now' }).waitFor();
    expect(await widthBeyond(at.page)).to.equal(0);
    expect(await seriousBarriers(at.page)).to.deep.equal([]);
  });

  it('are unread for another user of the same browser', async () => {
    await enter(at);
    await tab('News').click();
    await at.page.getByText('Lower prices', { exact: true }).click();
    await eventually(async () => expect(await unread()).to.equal('2 to read'));
    await at.page.getByRole('button', { name: 'Your account' }).click();
    await at.page.getByRole('button', { name: 'Sign out' }).click();
    at.user = await at.service.addUser();
    await at.page.getByLabel('E-mail').fill(at.user.email);
    await at.page.getByLabel('Password').fill('correct horse');
    await at.page.getByRole('button', { name: 'Sign in' }).click();
    await eventually(async () => expect(await unread()).to.equal('3 to read'));
  });
});
