/** What a user types on the account page is not lost, and its messages name fields as the page does. */
import { expect } from 'chai';
import { dialogOf, enter, refusal, stageAccountPage } from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

describe('what is typed on the account page', () => {
  const at = stageAccountPage();
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });
  const message = () => dialogOf(at.page).getByLabel('Message');

  async function writeTicket(): Promise<void> {
    await enter(at);
    await at.page.getByRole('link', { name: 'Tickets', exact: true }).click();
    await button('Open a ticket').click();
    await dialogOf(at.page).getByLabel('Subject').fill('Lag since noon');
    await message().fill('Players time out.');
  }

  it('is there again after Escape, Back and a reload', async () => {
    await writeTicket();
    await at.page.keyboard.press('Escape');
    await dialogOf(at.page).waitFor({ state: 'detached' });
    await button('Open a ticket').click();
    await eventually(async () => expect(await message().inputValue()).to.equal('Players time out.'));
    await at.page.goBack();
    await at.page.goForward();
    await at.page.reload();
    await button('Open a ticket').click();
    await eventually(async () =>
      expect(await dialogOf(at.page).getByLabel('Subject').inputValue()).to.equal('Lag since noon'),
    );
    await eventually(async () => expect(await message().inputValue()).to.equal('Players time out.'));
  });

  it('is gone once it is sent, canceled, or its user has signed out', async () => {
    const kept = () => at.page.evaluate('sessionStorage.length');
    await writeTicket();
    await dialogOf(at.page).getByRole('button', { name: 'Cancel' }).click();
    await eventually(async () => expect(await kept()).to.equal(0));
    await button('Open a ticket').click();
    await eventually(async () => expect(await message().inputValue()).to.equal(''));
    await dialogOf(at.page).getByLabel('Subject').fill('Lag');
    await message().fill('It lags.');
    await dialogOf(at.page).getByRole('button', { name: 'Open ticket' }).click();
    await at.page.getByRole('heading', { name: 'Lag' }).waitFor();
    await eventually(async () => expect(await kept()).to.equal(0));
    await at.page.getByLabel('Your reply').fill('It still lags.');
    await eventually(async () => expect(await kept()).to.equal(1));
    await button('Your account').click();
    await button('Sign out').click();
    await at.page.getByLabel('E-mail').waitFor();
    await eventually(async () => expect(await kept()).to.equal(0));
  });

  it('waits where a session has ended, for its user alone', async () => {
    at.expected = [refusal(401, 'Unauthorized')];
    await writeTicket();
    await at.service.models.sessions.endOthers(at.user._id, 'none');
    await dialogOf(at.page).getByRole('button', { name: 'Open ticket' }).click();
    await at.page.getByText('Your session has ended.').waitFor();
    const owner = at.user;
    at.user = await at.service.addUser();
    const signInAndOpen = async () => {
      await at.page.getByLabel('E-mail').fill(at.user.email);
      await at.page.getByLabel('Password').fill('correct horse');
      await button('Sign in').click();
      await button('Open a ticket').click();
    };
    await signInAndOpen();
    await eventually(async () => expect(await message().inputValue()).to.equal(''));
    await at.visitor.context.clearCookies();
    await at.page.reload();
    at.user = owner;
    await signInAndOpen();
    await eventually(async () => expect(await message().inputValue()).to.equal('Players time out.'));
  });

  it('is refused in the words of the page', async () => {
    at.expected = [refusal(400, 'Bad Request')];
    await enter(at);
    await button('Your account').click();
    await button('Change password').click();
    const field = (label: string) => dialogOf(at.page).getByLabel(label, { exact: true });
    await field('Current password').fill('correct horse');
    await field('New password').fill('short');
    await field('New password again').fill('short');
    await dialogOf(at.page).getByRole('button', { name: 'Change password' }).click();
    await dialogOf(at.page).getByText('“New password” must be at least').waitFor();
  });
});
