/** The Activity tab in a browser, with the mouse and by keyboard alone. */
import { expect } from 'chai';
import { openKeyList, openSection, useAccountPage, waitForCount } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { createKeyboard } from '../../support/keyboard.ts';
import { panelServer } from '../../support/panel/attributes.ts';

describe('activity on the account page', () => {
  const at = useAccountPage();
  const { hasFocus, press, tabTo } = createKeyboard(at);
  const chart = (label: string) => at.page.getByRole('img', { name: label });
  const heading = () => at.heading('Activity');
  const calls = () => at.page.getByRole('table', { name: 'Calls', exact: true }).locator('tbody tr');

  /** Creates a key with this name that makes calls, one of them an error. */
  async function call(name: string, calls: number): Promise<void> {
    const newKey = { userId: at.user._id, name, scopes: ['read:account'], expiresAt: null };
    const { secret: key } = await at.service.models.apiKeys.issue(newKey, new Date());
    for (let made = 1; made < calls; made += 1) await at.service.call('GET', '/me', { key });
    await at.service.call('GET', '/tickets/999', { key });
    await at.service.flushAudit();
  }

  it('shows calls and errors by day, by key and one by one', async () => {
    await call('Deploy script', 7);
    await at.page.setViewportSize({ width: 360, height: 800 });
    await openKeyList(at);
    await openSection(at.page, 'Activity');
    await chart('7 calls and 1 error of all keys and apps in 30 days, at most 7 a day').waitFor();
    await at.see('Errors among them: 1');
    await at.page.getByRole('row', { name: /^Deploy script gamehost_live_\w+… 7 1$/ }).waitFor();
    const refused = calls()
      .filter({ hasText: 'Tried to read ticket 999' })
      .filter({ hasText: 'Refused 404 not_found' });
    await refused.getByText('just now · Deploy script').filter({ visible: true }).waitFor();
    await calls().filter({ hasText: 'Signed in' }).getByText('Done').waitFor();
    await at.isFit();
    await at.page.getByText('Numbers by day').click();
    await at.page.getByRole('cell', { name: '7' }).first().waitFor();
    await at.page.getByRole('table', { name: 'Calls by key or app in 30 days' }).waitFor();
    const layout = `getComputedStyle(document.querySelector('section > table')).display`;
    await eventually(async () => expect(await at.page.evaluate(layout)).to.equal('table'));
  });

  it("describes in words what was done to which server, by the server's name if it has one", async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    at.service.panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4', name: 'Hearthstead' })]);
    const { secret: key } = await at.service.addKey({ user: at.user });
    await at.service.call('POST', '/servers/a1b2c3d4/power', { key, body: { signal: 'restart' } });
    await at.service.call('GET', '/servers/a1b2c3d4/backups', { key });
    await at.service.call('GET', '/servers/0f0f0f0f/backups', { key });
    at.service.panel.failWith(500, 'NewException');
    await at.service.call('GET', '/servers/a1b2c3d4/console', { key });
    at.service.panel.recover();
    await at.service.flushAudit();
    await openKeyList(at);
    await at.link('Activity').click();
    await calls().filter({ hasText: 'Listed the backups of Hearthstead' }).getByText('Done').waitFor();
    await calls().filter({ hasText: 'Tried to list the backups of 0f0f0f0f' }).waitFor();
    const failed = calls().filter({ hasText: 'Tried to read the console of Hearthstead' });
    await failed.filter({ hasText: 'Failed 502 upstream_error' }).waitFor();
    await waitForCount(calls().filter({ hasText: 'REST' }), 4);
    const restarted = calls().filter({ hasText: 'Restarted Hearthstead' });
    await restarted.getByRole('link', { name: 'Hearthstead' }).click();
    await at.heading('Hearthstead').waitFor();
  });

  it('shows only calls by one key, about one topic, or that failed, among those that are loaded', async () => {
    await call('Deploy script', 3);
    await call('Status page', 2);
    await at.arrive('/account#activity');
    await waitForCount(calls(), 6);
    await at.page.getByLabel('Key or app').selectOption({ index: 1 });
    await waitForCount(calls(), 3);
    await at.page.getByLabel('Result').selectOption('Refused or failed');
    await waitForCount(calls(), 1);
    await at.page.getByLabel('About').selectOption('Servers');
    await at.see('0 of the 6 calls that are loaded match.');
    await at.see('No loaded call matches. Choose another filter.');
  });

  it('lets the keyboard alone reach the calls of one key, their numbers by day, and older calls', async () => {
    await call('Deploy script', 40);
    await call('Status page', 20);
    await openKeyList(at);
    await press(at.link('Activity'));
    await heading().waitFor();
    await chart('60 calls and 2 errors of all keys and apps in 30 days, at most 60 a day').waitFor();
    await tabTo(at.page.getByLabel('Key or app'));
    await at.page.keyboard.type('Status');
    await chart('20 calls and 1 error of Status page in 30 days, at most 20 a day').waitFor();
    await press(at.page.getByText('Numbers by day'));
    const format = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
    const today = new Date().toLocaleDateString('en-GB', format);
    await at.page.getByRole('row', { name: `${today} 20 1` }).waitFor();
    await tabTo(at.page.getByLabel('Key or app'));
    await at.page.keyboard.type('All');
    await waitForCount(calls(), 50);
    await press(at.button('Show older calls'));
    await hasFocus(calls().nth(50));
    await waitForCount(calls(), 61);
  });
});
