/** Sessions on the account page in a real browser: sign-in, sign-out, expiry, two tabs, password change. */
import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { openAccount } from '../../support/account.ts';
import {
  actOnKey,
  consoleErrorOf,
  createKey,
  createPageQueries,
  dismissSecret,
  openKeyList,
  signIn,
  useAccountPage,
  waitForCount,
  waitForValue,
} from '../../support/account-page.ts';

describe('sessions on the account page', () => {
  const at = useAccountPage();

  it('request a new sign-in when they have expired, then continue', async () => {
    at.expected = [consoleErrorOf(401, 'Unauthorized')];
    const reads = ['keys.list', 'tickets.counts', 'announcements.list'];
    const answers = reads.map((name) => at.page.waitForResponse(new RegExp(name)));
    await openKeyList(at);
    // No request is in flight when the session expires.
    await Promise.all(answers);
    at.service.clock.advance(2 * 60 * 60 * 1000);
    await at.button('Refresh the list').click();
    await at.see('Your session has ended. Sign in to continue.');
    await signIn(at.page, at.user.email);
    await at.see('No live keys');
  });

  it('keep two tabs in step on new keys and a sign-out, even over a reload', async () => {
    at.expected = [consoleErrorOf(401, 'Unauthorized')];
    await openKeyList(at);
    const other = createPageQueries({ page: await at.visitor.openTab('/account#keys') });
    await other.see('No live keys');
    await createKey(at.page, 'Deploy script');
    await dismissSecret(at.page);
    await other.dialog().page().evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await other.entry('Deploy script').waitFor();
    await at.button('Your account').click();
    await at.button('Sign out').click();
    await at.heading('Sign in').waitFor();
    await at.page.reload();
    await at.heading('Sign in').waitFor();
    await actOnKey(other.dialog().page(), 'Deploy script', 'Revoke');
    await other.inDialog('Revoke key').click();
    await other.see('Your session has ended. Sign in to continue.');
    expect((await at.service.models.apiKeys.listLive(at.user._id, new Date())).length).to.equal(1);
  });

  it('stay with the latest user when a sign-in in another tab ends the session of a pending request', async () => {
    at.expected = [consoleErrorOf(401, 'Unauthorized'), consoleErrorOf(401, 'Unauthorized')];
    await openKeyList(at);
    const { text: body } = await openAccount(at.service.url).call('keys.list');
    const refuse = (route: Route) => route.fulfill({ status: 401, contentType: 'application/json', body });
    await at.page.route('**/trpc/keys.list*', refuse, { times: 1 });
    await at.button('Refresh the list').click();
    await at.see('No live keys');
    const { email } = await at.service.addUser();
    const page = await at.visitor.openTab('/account');
    const tab = createPageQueries({ page });
    await tab.button('Your account').click();
    await tab.button('Sign out').click();
    await signIn(page, email);
    await tab.button('Your account').waitFor();
    await at.page.route('**/trpc/keys.list*', refuse, { times: 1 });
    await at.button('Refresh the list').click();
    await at.see('Your session has ended.');
    await at.see(`You are signed in as ${email}`);
  });

  it('are ended singly and together by keyboard, with the focus kept in the dialog', async () => {
    for (let count = 0; count < 3; count += 1)
      await at.service.models.sessions.open({ user: at.user }, new Date(at.service.clock.now()));
    await openKeyList(at);
    await at.button('Your account').click();
    await at.button('Sessions').click();
    const sessions = at.dialog().getByRole('listitem');
    for (const [name, left] of [
      ['Sign out Unknown device', 3],
      ['Sign out all others', 1],
    ] as const) {
      await at.inDialog(name).first().press('Enter');
      await waitForCount(sessions, left);
      await at.page.locator('dialog button:focus').waitFor();
    }
  });

  it("show no past time as future when the computer's clock is slow", async () => {
    await openKeyList(at);
    await at.page.clock.setFixedTime(Date.now() - 60 * 60 * 1000);
    await at.button('Your account').click();
    await at.button('Sessions').click();
    await at.see('Last seen just now');
  });

  it('survive a change of the password, which names its user to password managers', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request')];
    await openKeyList(at);
    await at.button('Your account').click();
    await at.button('Change password').click();
    await waitForValue(at.dialog().locator('input[autocomplete=username]'), at.user.email);
    const change = async (password: string, again = password) => {
      await at.field('New password').fill(password);
      await at.field('New password again').fill(again);
      await at.inDialog('Change password').click();
    };
    await at.field('Current password').fill('correct horse');
    await change('short');
    await at.see('“New password” must be at least'); // The page's own words.
    await change('battery staple 9', 'battery staple 8');
    await at.see('The passwords do not match.');
    await change('battery staple 9');
    await at.page.getByRole('status').getByText('Password changed.').waitFor();
    const { users } = at.service.models;
    expect(await users.verifyPassword(await users.find(at.user._id), 'battery staple 9')).to.equal(true);
    await at.page.reload();
    await at.heading('API keys').waitFor();
  });
});
