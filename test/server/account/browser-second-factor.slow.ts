/** Second factors on the account page in a real browser: adding them, the second step, passkeys, and staff that must have one. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { hasCount, refusal, type Scene, signIn, stageAccountPage } from '../../support/account-page.ts';
import { codeOf, namedUrl, stepMs } from '../../support/second-factor.ts';
import { startTestService } from '../../support/service.ts';

/** At an address with a name, where passkeys work. */
const startNamed = async (config = {}) => {
  const service = await startTestService({ config, rateLimitPerMinute: 1_000_000 });
  return { ...service, url: namedUrl(service) };
};

/** An authenticator of the browser's, which asks nobody. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const options = {
    ...({ protocol: 'ctap2', transport: 'internal' } as const),
    ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    automaticPresenceSimulation: true,
  };
  await session.send('WebAuthn.addVirtualAuthenticator', { options });
}

const secretOf = async (at: Scene) =>
  ((await at.page.getByRole('group', { name: 'secret', exact: true }).textContent()) ?? '').replaceAll(
    ' ',
    '',
  );

async function addApp(at: Scene): Promise<{ secret: string; codes: string[] }> {
  await at.button('Add an authenticator app').click();
  await at.page.getByRole('img', { name: 'QR code with the secret' }).waitFor();
  const secret = await secretOf(at);
  await at.field('Code from your authenticator app').fill(codeOf(at.service, secret));
  await at.field('Name').fill('Phone');
  await at.inDialog('Add').click();
  await at.dialog().getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  const shown = await at.page.getByRole('group', { name: 'recovery codes', exact: true }).textContent();
  await at.isFit();
  await at.inDialog('I have copied it').click();
  at.service.clock.advance(2 * stepMs);
  return { secret, codes: (shown ?? '').split('\n') };
}

async function signOut(at: Scene): Promise<void> {
  await at.button('Your account').click();
  await at.button('Sign out').click();
  await at.heading('Sign in').waitFor();
}

const codeField = (at: Scene) => at.page.getByLabel('Code from your authenticator app', { exact: true });

describe('second factors on the account page', () => {
  const at = stageAccountPage(startNamed, '/account#security');

  it('are added with a picture or its secret, show recovery codes once, and are asked for at the next sign-in', async () => {
    at.expected = [refusal(401, 'Unauthorized')];
    await signIn(at.page, at.user.email);
    await at.see('No second factor yet');
    await at.isFit();
    const { secret, codes } = await addApp(at);
    expect(codes).to.have.length(10);
    await at.entry('Phone').waitFor();
    await at.see('You have 10 left.');
    await signOut(at);
    await signIn(at.page, at.user.email);
    await codeField(at).waitFor();
    await at.hasFocus(codeField(at));
    expect(await codeField(at).getAttribute('autocomplete')).to.equal('one-time-code');
    await at.isFit();
    await at.page.reload();
    await codeField(at).fill('000000');
    await at.page.keyboard.press('Enter');
    await at.see('The code is wrong, or was used before.');
    await codeField(at).fill(codeOf(at.service, secret));
    await at.page.keyboard.press('Enter');
    await at.heading('Security').waitFor();
  });

  it('keep the secret that may be scanned already where the line is lost and comes back', async () => {
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

  it('are lost: a recovery code signs in, once, and its user makes new ones', async () => {
    await signIn(at.page, at.user.email);
    const { codes } = await addApp(at);
    await signOut(at);
    await signIn(at.page, at.user.email);
    await at.button('Lost it? Use a recovery code').click();
    await at.page.getByLabel('Recovery code', { exact: true }).fill(codes[3] ?? '');
    await at.button('Continue').click();
    await at.see('You have 9 left.');
    await at.button(/^Make new recovery codes/).click();
    await at.inDialog('Make new codes').click();
    await at.inDialog('I have copied it').click();
    await at.see('You have 10 left.');
    await at.link('Activity').click();
    await at
      .entries('Calls')
      .filter({ hasText: 'Session: show factor' })
      .getByText('A recovery code was used, 9 left')
      .waitFor();
  });

  it('leave the way back to the first step, and start again where it took too long', async () => {
    at.expected = [refusal(401, 'Unauthorized')];
    await signIn(at.page, at.user.email);
    await addApp(at);
    await signOut(at);
    await signIn(at.page, at.user.email);
    await codeField(at).waitFor();
    await at.button('Back').click();
    await at.page.getByLabel('Password').waitFor();
    await signIn(at.page, at.user.email);
    await codeField(at).fill('123456');
    at.service.clock.advance(11 * 60_000);
    await at.button('Continue').click();
    await at.see('It took too long. Sign in again.');
  });

  it('are asked for again before one is removed, or the password changes, after ten minutes', async () => {
    at.expected = [refusal(400, 'Bad Request')];
    await signIn(at.page, at.user.email);
    const { secret } = await addApp(at);
    at.service.clock.advance(10 * 60_000);
    await at.button('Remove Phone').click();
    await codeField(at).waitFor();
    await at.hasFocus(codeField(at));
    await codeField(at).fill('000000');
    await at.inDialog('Continue').click();
    await at.see('The code is wrong, or was used before.');
    await at.dialog().getByLabel('Code from your authenticator app').fill(codeOf(at.service, secret));
    await at.inDialog('Continue').click();
    await at.see('It is the only one');
    await at.inDialog('Cancel').click();
    at.service.clock.advance(10 * 60_000);
    await at.button('Your account').click();
    await at.button('Change password').click();
    await at.dialog().getByLabel('Code from your authenticator app').fill(codeOf(at.service, secret));
    await at.inDialog('Continue').click();
    await at.field('Current password').waitFor();
    await at.inDialog('Cancel').click();
    await at.button('Remove Phone').click();
    await at.inDialog('Remove').click();
    await at.see('No second factor yet');
  });

  /** @param isOffered whether the browser offers passkeys by itself; without a window it then takes the only one */
  async function addPasskey(isOffered: boolean) {
    await addAuthenticator(at.page);
    await at.page.addInitScript(
      `PublicKeyCredential.isConditionalMediationAvailable = async () => ${isOffered}`,
    );
    await at.page.reload();
    await signIn(at.page, at.user.email);
    await at.button('Add a passkey').click();
    await at.field('Name').fill('Laptop');
    await at.inDialog('Add a passkey').click();
    await at.inDialog('I have copied it').click();
    await at.entry('Laptop').waitFor();
  }

  it('may be passkeys, which sign in alone by a button, and are the second step after a password', async () => {
    await addPasskey(false);
    await signOut(at);
    await at.button('Use a passkey').click();
    await at.see('last used just now');
    await signOut(at);
    await signIn(at.page, at.user.email);
    await at.see('with your second factor');
    await at.button('Use a passkey').click();
    await at.heading('Security').waitFor();
  });

  it('may be passkeys that the browser offers in the field for the address', async () => {
    const field = at.page.getByLabel('E-mail', { exact: true });
    expect(await field.getAttribute('autocomplete')).to.equal('username webauthn');
    await addPasskey(true);
    await at.button('Your account').click();
    await at.button('Sign out').click();
    await at.see('last used just now');
  });

  it('work at 360 pixels, in the dark, and in a browser that knows no passkeys', async () => {
    const visitor = await at.browser.newVisitor(at.service.url, {
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
    });
    await visitor.context.addInitScript('delete window.PublicKeyCredential');
    const scene = { ...at, page: await visitor.openTab('/account#security') } as Scene;
    await signIn(scene.page, at.user.email);
    await scene.page.getByText('This browser does not support passkeys').waitFor();
    expect(await scene.page.getByRole('button', { name: 'Add a passkey' }).count()).to.equal(0);
    await visitor.close();
    expect(visitor.complaints).to.deep.equal([]);
  });
});

describe('the account page of staff where STAFF_SECOND_FACTOR is true', () => {
  const at = stageAccountPage(() => startNamed({ staffNeedsSecondFactor: true }), '/account');

  it('leads to adding a second factor, and after it to everything else', async () => {
    const { email } = await at.service.addUser({ isSupport: true });
    await signIn(at.page, email);
    await at.see('Your host asks administrators and support for a second factor.');
    await at.isFit();
    await addApp(at);
    await at.link('Support desk').waitFor();
  });
});

describe('the account page where signing in with a password is off', () => {
  const at = stageAccountPage(() => startNamed({ hasPasswordSignIn: false }));

  it('offers no passkey at the sign-in, and still adds one, to be shown in a session', async () => {
    await at.heading('Sign in').waitFor();
    await hasCount(at.button('Use a passkey'), 0);
    const { token } = await at.service.models.signInLinks.create(at.user._id, new Date());
    await at.page.goto(`/account/link#${token}`);
    await at.button('Continue').click();
    await at.link('Security').click();
    await at.button('Add a passkey').waitFor();
  });
});
