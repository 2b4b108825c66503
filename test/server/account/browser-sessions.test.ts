/** Sessions on the account page in a real browser: in, out, ended, in two tabs, under another password. */
import { expect } from 'chai';
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

describe('sessions on the account page', () => {
  const at = stageAccountPage();

  it('signs in and shows that there are no keys yet', async () => {
    await enter(at);
    await at.page.getByText('No live keys').waitFor();
    await at.page.getByText('0 of 25').waitFor();
  });

  it('says that a password is wrong, and lets one try again', async () => {
    at.expected = [refusal(401, 'Unauthorized')];
    await signIn(at.page, at.user.email, 'wrong');
    await at.page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
    await enter(at);
  });

  it('asks to sign in again when the session has expired, and goes on from there', async () => {
    at.expected = [refusal(401, 'Unauthorized')];
    await enter(at);
    await createKey(at.page, 'Deploy script');
    await putAway(at.page);
    at.service.clock.advance(2 * 60 * 60 * 1000);
    await at.page.getByRole('button', { name: 'Refresh the list' }).click();
    await at.page.getByText('Your session has ended. Sign in to go on.').waitFor();
    await enter(at);
    await keyOf(at.page, 'Deploy script').waitFor();
  });

  it('keeps two tabs of one person together: keys made, and the end of the session', async () => {
    at.expected = [refusal(401, 'Unauthorized')];
    await enter(at);
    const other = await at.visitor.openTab('/account');
    await other.getByText('No live keys').waitFor();
    await createKey(at.page, 'Deploy script');
    await putAway(at.page);
    await other.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await keyOf(other, 'Deploy script').waitFor();
    await at.page.getByRole('button', { name: 'Your account' }).click();
    await at.page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('button', { name: 'Revoke Deploy script' }).click();
    await dialogOf(other).getByRole('button', { name: 'Revoke key' }).click();
    await other.getByText('Your session has ended. Sign in to go on.').waitFor();
    expect((await at.service.models.apiKeys.listLive(at.user._id, new Date())).length).to.equal(1);
  });

  it('signs out, for good', async () => {
    await enter(at);
    await at.page.getByRole('button', { name: 'Your account' }).click();
    await at.page.getByRole('button', { name: 'Sign out' }).click();
    await at.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await at.page.reload();
    await at.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('changes the password, and goes on with the session', async () => {
    await enter(at);
    await at.page.getByRole('button', { name: 'Your account' }).click();
    await at.page.getByRole('button', { name: 'Change password' }).click();
    const dialog = dialogOf(at.page);
    await dialog.getByLabel('Current password').fill('correct horse');
    await dialog.getByLabel('New password', { exact: true }).fill('battery staple 9');
    await dialog.getByLabel('New password again').fill('battery staple 8');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await dialog.getByText('This is not the same password.').waitFor();
    await dialog.getByLabel('New password again').fill('battery staple 9');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await at.page.getByRole('status').getByText('Password changed.').waitFor();
    expect(await at.service.models.users.findByPassword(at.user.email, 'battery staple 9')).not.to.equal(
      null,
    );
    await at.page.reload();
    await at.page.getByRole('heading', { name: 'API keys' }).waitFor();
  });
});
