/** Passkeys on the account page in a real browser, with a virtual authenticator. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  type AccountPageFixture,
  signIn,
  signInWithoutForm,
  signOut,
  useAccountPage,
  waitForCount,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { startAtHostName, storeAuthenticatorApp } from '../../support/second-factor.ts';

/** Adds a virtual authenticator that answers without a person. @returns a setter for whether it verifies its user */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const options = {
    ...({ protocol: 'ctap2', transport: 'internal' } as const),
    ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    automaticPresenceSimulation: true,
  };
  const authenticator = await session.send('WebAuthn.addVirtualAuthenticator', { options });
  return (isUserVerified: boolean) =>
    session.send('WebAuthn.setUserVerified', { ...authenticator, isUserVerified });
}

describe('passkeys on the account page', () => {
  const at = useAccountPage(startAtHostName, '/account#security');

  /** @param isOffered whether the browser offers passkeys by itself; a headless browser then takes the only one */
  async function addPasskey(isOffered: boolean) {
    const setUserVerified = await addAuthenticator(at.page);
    // Only documents of a secure origin have passkeys.
    await at.page.addInitScript(`if (window.PublicKeyCredential)
      PublicKeyCredential.isConditionalMediationAvailable = async () => ${isOffered}`);
    await at.arrive('/account#security');
    await at.button('Add a passkey').click();
    await at.field('Name').fill('Laptop');
    await at.inDialog('Add a passkey').click();
    await at.inDialog('I have copied it').click();
    await at.entry('Laptop').waitFor();
    return setUserVerified;
  }

  it('sign in alone by a button, and serve as the second step after a password', async () => {
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

  it('are requested at once when chosen instead of a code', async () => {
    await addPasskey(false);
    await storeAuthenticatorApp(at.service, at.user._id, 'Phone');
    await signOut(at);
    await signIn(at.page, at.user.email);
    await at.page.getByLabel('Code from your authenticator app', { exact: true }).waitFor();
    await at.button('Use a passkey').click();
    await at.heading('Security').waitFor();
  });

  it('are missing or refused for a reason that the page shows, and a recovery code signs in without them', async () => {
    const setUserVerified = await addPasskey(false);
    await at.button('Add a passkey').click();
    await at.inDialog('Add a passkey').click();
    await at.see('This device or password manager already has a passkey for your account.');
    await at.inDialog('Cancel').click();
    await signOut(at);
    await setUserVerified(false);
    await at.button('Use a passkey').click();
    await at.see('The browser provided no passkey');
    await at.isFit();
    await setUserVerified(true);
    await at.button('Use a passkey').click();
    await at.heading('Security').waitFor();
    await signOut(at);
    await at.page.addInitScript('delete window.PublicKeyCredential');
    await at.page.reload();
    await signIn(at.page, at.user.email);
    await at.see('Your passkeys do not work in this browser');
    await at.hasFocus(at.page.getByLabel('Recovery code', { exact: true }));
  });

  it('are offered by the browser in the e-mail field', async () => {
    const field = at.page.getByLabel('E-mail', { exact: true });
    expect(await field.getAttribute('autocomplete')).to.equal('username webauthn');
    await addPasskey(true);
    await at.button('Your account').click();
    await at.button('Sign out').click();
    await at.see('last used just now');
  });

  it('are forgotten by the browser once they are removed', async () => {
    await addPasskey(false);
    const signals = `window.signals = [];
      PublicKeyCredential.signalUnknownCredential = async (signal) => void window.signals.push(signal);`;
    await at.page.evaluate(signals);
    const [{ id = '' } = {}] = (await at.service.models.secondFactors.find(at.user._id))?.factors ?? [];
    await at.entry('Laptop').getByRole('button', { name: 'Remove Laptop' }).click();
    await at.inDialog('Remove').click();
    await at.see('No second factor yet');
    expect(await at.page.evaluate('window.signals')).to.deep.equal([{ rpId: 'localhost', credentialId: id }]);
  });

  it('are offered in the e-mail field again after a request without success', async () => {
    const setUserVerified = await addPasskey(false);
    // Pending until it is aborted or refused, as long as the user picks none in the field.
    await at.page.addInitScript(`
      PublicKeyCredential.isConditionalMediationAvailable = async () => true;
      window.offers = 0;
      const get = navigator.credentials.get.bind(navigator.credentials);
      navigator.credentials.get = (options) => options.mediation !== 'conditional' ? get(options) :
        new Promise((_, reject) => {
          window.offers += 1;
          options.signal.addEventListener('abort', () => reject(options.signal.reason));
          window.cancel = () => reject(new DOMException('', 'NotAllowedError'));
        });`);
    await signOut(at);
    await at.page.reload();
    const hasOffered = (times: number) =>
      eventually(async () => expect(await at.page.evaluate('window.offers')).to.equal(times));
    await hasOffered(1);
    await setUserVerified(false);
    await at.button('Use a passkey').click();
    await at.see('The browser provided no passkey');
    await hasOffered(2);
    await at.page.evaluate('window.cancel()');
    await hasOffered(3);
  });

  it('are not offered by a browser that does not support them, at 360 pixels and in the dark', async () => {
    const visitor = await at.browser.newVisitor(at.service.url, {
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
    });
    await visitor.context.addInitScript('delete window.PublicKeyCredential');
    await signInWithoutForm(visitor, at.user);
    const scene = { ...at, page: await visitor.openTab('/account#security') } as AccountPageFixture;
    await scene.page.getByText('This browser does not support passkeys').waitFor();
    expect(await scene.page.getByRole('button', { name: 'Add a passkey' }).count()).to.equal(0);
    await visitor.close();
    expect(visitor.complaints).to.deep.equal([]);
  });
});

describe('the account page without password sign-in', () => {
  const at = useAccountPage(() => startAtHostName({ hasPasswordSignIn: false }), '/account');

  it('offers no passkey at the sign-in, but lets the user add one as a second factor for the session', async () => {
    await at.heading('Sign in').waitFor();
    await waitForCount(at.button('Use a passkey'), 0);
    const { token } = await at.service.models.signInLinks.create(at.user._id, new Date());
    await at.page.goto(`/account/link#${token}`);
    await at.button('Continue').click();
    await at.link('Security').click();
    await at.button('Add a passkey').waitFor();
  });
});
