/** Second factors on the account page in a real browser: adding them, the second step, and staff who must have one. */
import { expect } from 'chai';
import {
  type AccountPageFixture,
  consoleErrorOf,
  createPageQueries,
  signIn,
  signOut,
  useAccountPage,
} from '../../support/account-page.ts';
import { createKeyboard } from '../../support/keyboard.ts';
import { addAppUser, codeOf, passTimeInUse, startAtHostName, stepMs } from '../../support/second-factor.ts';

const secretOf = async (at: AccountPageFixture) =>
  ((await at.page.getByRole('group', { name: 'secret', exact: true }).textContent()) ?? '').replaceAll(
    ' ',
    '',
  );

const codesOf = async (at: AccountPageFixture) =>
  ((await at.page.getByRole('group', { name: 'recovery codes', exact: true }).textContent()) ?? '').split(
    '\n',
  );

async function addApp(at: AccountPageFixture): Promise<{ secret: string; codes: string[] }> {
  await at.button('Add an authenticator app').click();
  await at.page.getByRole('img', { name: 'QR code with the secret', exact: true }).waitFor();
  const secret = await secretOf(at);
  await codeField(at).fill(codeOf(at.service, secret));
  await at.field('Name').fill('Phone');
  await at.inDialog('Add').click();
  await at.dialog().getByRole('heading', { name: 'Your recovery codes', exact: true }).waitFor();
  const codes = await codesOf(at);
  await at.isFit();
  await at.inDialog('I have copied it').click();
  at.service.clock.advance(2 * stepMs);
  return { secret, codes };
}

const codeField = (at: Pick<AccountPageFixture, 'page'>) =>
  at.page.getByLabel('Code from your authenticator app', { exact: true });

/** The field with the code has the focus, and its description says what is wrong. */
async function seeWrongCode(at: Pick<AccountPageFixture, 'page'>): Promise<void> {
  const field = codeField(at).and(at.page.locator('[aria-invalid=true]:focus'));
  const described = await field.getAttribute('aria-describedby');
  expect(await at.page.locator(`[id="${described}"]`).textContent()).to.equal(
    '“Code from your authenticator app” is wrong, or was used before.',
  );
  expect(await at.page.locator('.notice.is-danger').count()).to.equal(0);
}

describe('second factors on the account page', () => {
  const at = useAccountPage(startAtHostName, '/account#security');

  /** A user with an authenticator app who has entered the password. */
  async function begin() {
    const { user, secret, recoveryCodes } = await addAppUser(at.service);
    at.user = user;
    await signIn(at.page, user.email);
    await at.hasFocus(codeField(at));
    return { secret, recoveryCodes };
  }

  /** The same user after entering a code. */
  async function enterWithApp(): Promise<string> {
    const { secret } = await begin();
    await codeField(at).fill(codeOf(at.service, secret));
    await at.button('Continue').click();
    await at.entry('Phone').waitFor();
    at.service.clock.advance(2 * stepMs);
    return secret;
  }

  it('can be added by a picture or its secret, show recovery codes once, and are required at the next sign-in', async () => {
    at.expected = [consoleErrorOf(401, 'Unauthorized')];
    await signIn(at.page, at.user.email);
    await at.see('No second factor yet');
    await at.isFit();
    await at.visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await at.button('Add an authenticator app').click();
    await at.inDialog('Copy secret').click();
    await at.see('Copied secret');
    expect(await at.page.evaluate('navigator.clipboard.readText()')).to.match(/^[A-Z2-7]{32}$/);
    await at.inDialog('Cancel').click();
    const { secret, codes } = await addApp(at);
    expect(codes).to.have.length(10);
    await at.entry('Phone').waitFor();
    await at.see('You have 10 left.');
    await signOut(at);
    await signIn(at.page, at.user.email);
    await at.hasFocus(codeField(at));
    expect(await codeField(at).getAttribute('autocomplete')).to.equal('one-time-code');
    expect(await codeField(at).getAttribute('inputmode')).to.equal('numeric');
    await at.isFit();
    await at.page.reload();
    await codeField(at).fill('000000');
    await at.page.keyboard.press('Enter');
    await seeWrongCode(at);
    await codeField(at).fill(codeOf(at.service, secret));
    await at.page.keyboard.press('Enter');
    await at.heading('Security').waitFor();
  });

  it('keep a secret that may already be scanned when the connection fails and recovers', async () => {
    await signIn(at.page, at.user.email);
    await at.button('Add an authenticator app').click();
    await at.page.getByRole('img', { name: 'QR code with the secret' }).waitFor();
    const secret = await secretOf(at);
    await at.visitor.context.setOffline(true);
    const readAgain = at.page.waitForResponse(/factors\.list/);
    await at.visitor.context.setOffline(false);
    await readAgain;
    await at.field('Code from your authenticator app').fill(codeOf(at.service, secret));
    await at.inDialog('Add').click();
    await at.heading('Your recovery codes').waitFor();
  });

  it('can be replaced after a loss: a recovery code signs in once, however it is typed, and the user creates new ones', async () => {
    const { recoveryCodes: codes } = await begin();
    await at.button('Lost it? Use a recovery code').click();
    const field = at.page.getByLabel('Recovery code', { exact: true });
    await at.hasFocus(field);
    await field.fill(` ${codes[3]?.replaceAll('-', ' ').toUpperCase()}`);
    await at.button('Continue').click();
    await at.see('You have 9 left.');
    await at.button(/^Create new recovery codes/).click();
    await at.inDialog('Create new codes').click();
    await at.inDialog('I have copied it').waitFor();
    const asked = at.page.waitForEvent('dialog');
    const leaving = at.page.evaluate('location.reload()');
    const question = await asked;
    expect(question.type()).to.equal('beforeunload');
    await question.dismiss();
    await leaving;
    expect(await codesOf(at))
      .to.have.length(10)
      .and.not.include(codes[0]);
    await at.inDialog('I have copied it').click();
    await at.see('You have 10 left.');
    await at.link('Activity').click();
    await at.page
      .getByRole('row', { name: 'Showed a second factor' })
      .getByText('A recovery code was used, 9 left')
      .waitFor();
  });

  it('allow a return to the first step, and start again after a timeout', async () => {
    at.expected = [consoleErrorOf(401, 'Unauthorized')];
    await begin();
    await at.button('Back').click();
    await at.page.getByLabel('Password', { exact: true }).waitFor();
    await signIn(at.page, at.user.email);
    await codeField(at).fill('123456');
    at.service.clock.advance(11 * 60_000);
    await at.button('Continue').click();
    await at.see('It took too long. Sign in again.');
  });

  it('are entered in one tab, and the other continues where it was, even with the same code', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request')];
    const { secret } = await begin();
    const code = codeOf(at.service, secret);
    const page = await at.visitor.openTab('/account#activity');
    for (const [tab, heading] of [
      [at.page, 'Security'],
      [page, 'Activity'],
    ] as const) {
      await codeField({ page: tab }).fill(code);
      await createPageQueries({ page: tab }).button('Continue').click();
      await createPageQueries({ page: tab }).heading(heading).waitFor();
    }
  });

  it('are removed in one tab, and the other says so when it tries the same', async () => {
    at.expected = [consoleErrorOf(404, 'Not Found')];
    await enterWithApp();
    await at.button('Remove Phone').click();
    const other = createPageQueries({ page: await at.visitor.openTab('/account#security') });
    await other.button('Remove Phone').click();
    await other.inDialog('Remove').click();
    await other.see('No second factor yet');
    await at.inDialog('Remove').click();
    await at.see('Second factor not found.');
    await at.inDialog('Cancel').click();
    await at.see('No second factor yet');
  });

  it('are requested again after ten minutes, on top of the filled-in form, which then continues', async () => {
    const lacking = consoleErrorOf(403, 'Forbidden');
    at.expected = [lacking, lacking, consoleErrorOf(400, 'Bad Request'), lacking];
    await at.page.setViewportSize({ width: 360, height: 740 });
    const secret = await enterWithApp();
    at.service.clock.advance(10 * 60_000);
    await at.button('Rename Phone').click();
    await at.field('Name').fill('Old phone');
    await at.inDialog('Save').click();
    await at.hasFocus(codeField(at));
    await at.page.keyboard.press('Escape');
    await at.see('Show a second factor first');
    expect(await at.field('Name').inputValue()).to.equal('Old phone');
    await at.inDialog('Save').click();
    await codeField(at).fill('000000');
    await at.inDialog('Continue').click();
    await seeWrongCode(at);
    await at.isFit();
    await codeField(at).fill(codeOf(at.service, secret));
    await at.inDialog('Continue').click();
    await at.entry('Old phone').waitFor();
    await at.hasFocus(at.button('Rename Old phone'));
    at.service.clock.advance(10 * 60_000);
    await at.button('Your account').click();
    await at.button('Change password').click();
    await at.field('Current password').fill('correct horse');
    await at.field('New password').fill('battery staple 9');
    await at.field('New password again').fill('battery staple 9');
    await at.inDialog('Change password').click();
    await codeField(at).fill(codeOf(at.service, secret));
    await at.inDialog('Continue').click();
    await at.see('Password changed.');
    await at.button('Remove Old phone').click();
    await at.see('This is your only second factor');
    await at.inDialog('Remove').click();
    await at.see('No second factor yet');
  });

  it('are requested again before an app is added, even if the session has ended elsewhere', async () => {
    at.expected = [consoleErrorOf(403, 'Forbidden'), consoleErrorOf(401, 'Unauthorized')];
    const secret = await enterWithApp();
    at.service.clock.advance(10 * 60_000);
    await at.button('Add an authenticator app').click();
    await codeField(at).fill(codeOf(at.service, secret));
    await at.service.models.transaction((transaction) =>
      at.service.models.sessions.endAll([at.user._id], transaction),
    );
    await at.inDialog('Continue').click();
    await at.see('Your session has ended. Sign in to continue.');
    expect(await at.dialog().count()).to.equal(0);
  });

  it('can be added, entered and removed by keyboard alone', async () => {
    const { press, write } = createKeyboard(at);
    await write(at.page.getByLabel('E-mail', { exact: true }), at.user.email);
    await write(at.page.getByLabel('Password', { exact: true }), 'correct horse');
    await at.page.keyboard.press('Enter');
    await press(at.button('Add an authenticator app'));
    await at.hasFocus(codeField(at));
    const secret = await secretOf(at);
    await at.page.keyboard.type(codeOf(at.service, secret));
    await at.page.keyboard.press('Enter');
    await press(at.inDialog('I have copied it'));
    await at.entry('Phone').waitFor();
    at.service.clock.advance(10 * 60_000);
    at.expected = [consoleErrorOf(403, 'Forbidden')];
    await press(at.button('Remove Phone'));
    await press(at.inDialog('Remove'));
    await at.hasFocus(codeField(at));
    await at.page.keyboard.type(codeOf(at.service, secret));
    await at.page.keyboard.press('Enter');
    await at.see('No second factor yet');
    await at.hasFocus(at.heading('Security'));
  });
});

describe('the account page of staff where STAFF_SECOND_FACTOR is true', () => {
  const at = useAccountPage(() => startAtHostName({ staffNeedsSecondFactor: true }), '/account#activity');

  it('keeps recovery codes in view when the connection fails and recovers', async () => {
    const { email } = await at.service.addUser({ isSupport: true });
    await signIn(at.page, email);
    await at.button('Add an authenticator app').click();
    await codeField(at).fill(codeOf(at.service, await secretOf(at)));
    await at.inDialog('Add').click();
    await at.heading('Your recovery codes').waitFor();
    await at.visitor.context.setOffline(true);
    let readings = 0; // by the list, and by the check whether to show it
    const readAgain = at.page.waitForResponse((response) => {
      if (response.url().includes('factors.list')) readings += 1;
      return readings === 2;
    });
    await at.visitor.context.setOffline(false);
    await (await readAgain).finished();
    await at.inDialog('I have copied it').click();
    await at.heading('Activity').waitFor();
  });

  it('reports a connection that fails after the sign-in, which the user then repeats', async () => {
    const { email } = await at.service.addUser({ isSupport: true });
    at.expected = ['Failed to load resource: net::ERR_FAILED'];
    await at.heading('Sign in').waitFor();
    await at.page.route(/session\.current/, (route) => route.abort());
    await signIn(at.page, email);
    await at.see('The service did not answer');
    await at.page.unroute(/session\.current/);
    await at.button('Sign in').click();
    await at.see('No second factor yet');
  });

  it('asks for a second factor, and again after twelve hours, and returns to the previous page each time', async () => {
    const user = await at.service.addUser({ isSupport: true });
    await signIn(at.page, user.email);
    await at.see('Your host requires a second factor of administrators and support.');
    await at.isFit();
    const { secret } = await addApp(at);
    await at.heading('Activity').waitFor();
    await at.page.goto('about:blank');
    await passTimeInUse(at.service, user, 12 * 60 * 60_000);
    await at.page.goto('/account#activity');
    await at.heading('Confirm that it is you').waitFor();
    await at.isFit();
    await codeField(at).fill(codeOf(at.service, secret));
    await at.button('Continue').click();
    await at.heading('Activity').waitFor();
    await at.link('Support desk').waitFor();
  });
});
