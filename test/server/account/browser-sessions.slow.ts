/** Sessions on the account page in a real browser: sign-in, sign-out, expiry, two tabs, password change. */
import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { openAccount } from '../../support/account.ts';
import {
  createKey,
  dialogOf,
  enter,
  keyOf,
  putAway,
  refusal,
  signIn,
  stageAccountPage,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

describe('sessions on the account page', () => {
  const at = stageAccountPage();

  it('asks to sign in again when the session has expired, then continues', async () => {
    at.expected = [refusal(401, 'Unauthorized')];
    await enter(at);
    await createKey(at.page, 'Deploy script');
    await putAway(at.page);
    at.service.clock.advance(2 * 60 * 60 * 1000);
    await at.page.getByRole('button', { name: 'Refresh the list' }).click();
    await at.page.getByText('Your session has ended. Sign in to continue.').waitFor();
    await enter(at);
    await keyOf(at.page, 'Deploy script').waitFor();
  });

  it('keeps two tabs in step: new keys and a sign-out, also over a reload', async () => {
    at.expected = [refusal(401, 'Unauthorized')];
    await enter(at);
    const other = await at.visitor.openTab('/account#keys');
    await other.getByText('No live keys').waitFor();
    await createKey(at.page, 'Deploy script');
    await putAway(at.page);
    await other.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await keyOf(other, 'Deploy script').waitFor();
    await at.page.getByRole('button', { name: 'Your account' }).click();
    await at.page.getByRole('button', { name: 'Sign out' }).click();
    await at.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await at.page.reload();
    await at.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.getByRole('button', { name: 'Revoke Deploy script' }).click();
    await dialogOf(other).getByRole('button', { name: 'Revoke key' }).click();
    await other.getByText('Your session has ended. Sign in to continue.').waitFor();
    expect((await at.service.models.apiKeys.listLive(at.user._id, new Date())).length).to.equal(1);
  });

  it('stays with who signed in, where a sign-in in another tab ended the session of a request on its way', async () => {
    at.expected = [refusal(401, 'Unauthorized'), refusal(401, 'Unauthorized')];
    await enter(at);
    const { text: body } = await openAccount(at.service.url).call('keys.list');
    const refuse = (route: Route) => route.fulfill({ status: 401, contentType: 'application/json', body });
    await at.page.route('**/trpc/keys.list*', refuse, { times: 1 });
    await at.page.getByRole('button', { name: 'Refresh the list' }).click();
    await at.page.getByText('No live keys').waitFor();
    const other = await at.service.addUser();
    const tab = await at.visitor.openTab('/account');
    await tab.getByRole('button', { name: 'Your account' }).click();
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await signIn(tab, other.email);
    await tab.getByRole('button', { name: 'Your account' }).waitFor();
    await at.page.route('**/trpc/keys.list*', refuse, { times: 1 });
    await at.page.getByRole('button', { name: 'Refresh the list' }).click();
    await at.page.getByText('Your session has ended.').waitFor();
    await at.page.getByText(`You are signed in as ${other.email}`).waitFor();
  });

  it('ends one and all others by keyboard, and keeps the focus in the dialog', async () => {
    for (let count = 0; count < 3; count += 1)
      await at.service.models.sessions.open({ user: at.user }, new Date(at.service.clock.now()));
    await enter(at);
    await at.page.getByRole('button', { name: 'Your account' }).click();
    await at.page.getByRole('button', { name: 'Sessions' }).click();
    const sessions = dialogOf(at.page).getByRole('listitem');
    const focusIsInside = () => at.page.locator('dialog button:focus').waitFor();
    for (const [name, left] of [
      ['Sign out Unknown device', 3],
      ['Sign out all others', 1],
    ] as const) {
      await dialogOf(at.page).getByRole('button', { name }).first().focus();
      await at.page.keyboard.press('Enter');
      await sessions.nth(left).waitFor({ state: 'detached' });
      await focusIsInside();
    }
    await eventually(async () => expect(await sessions.count()).to.equal(1));
  });

  it('shows nothing past as yet to come where the clock of the computer is slow', async () => {
    await enter(at);
    await at.page.clock.setFixedTime(Date.now() - 60 * 60 * 1000);
    await at.page.getByRole('button', { name: 'Your account' }).click();
    await at.page.getByRole('button', { name: 'Sessions' }).click();
    await dialogOf(at.page).getByText('Last seen just now').waitFor();
  });

  it('changes the password, names its user to password managers, and keeps the session', async () => {
    await enter(at);
    await at.page.getByRole('button', { name: 'Your account' }).click();
    await at.page.getByRole('button', { name: 'Change password' }).click();
    const dialog = dialogOf(at.page);
    const forPasswordManagers = dialog.locator('input[autocomplete=username]');
    await eventually(async () => expect(await forPasswordManagers.inputValue()).to.equal(at.user.email));
    await dialog.getByLabel('Current password').fill('correct horse');
    await dialog.getByLabel('New password', { exact: true }).fill('battery staple 9');
    await dialog.getByLabel('New password again').fill('battery staple 8');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await dialog.getByText('The passwords do not match.').waitFor();
    await dialog.getByLabel('New password again').fill('battery staple 9');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await at.page.getByRole('status').getByText('Password changed.').waitFor();
    const { users } = at.service.models;
    const user = await users.find(at.user._id);
    expect(await users.verifyPassword(user, 'battery staple 9')).to.equal(true);
    await at.page.reload();
    await at.page.getByRole('heading', { name: 'API keys' }).waitFor();
  });
});
