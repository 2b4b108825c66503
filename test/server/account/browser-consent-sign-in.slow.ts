/** Each way to sign in leads back to the request of the app that sent the user, in a real browser. */
import { expect } from 'chai';
import { consoleErrorOf, signIn } from '../../support/account-page.ts';
import {
  allowButton,
  connectionsOf,
  type SendingApp,
  startSendingApp,
  useConnectPage,
} from '../../support/connect-page.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { useStarted } from '../../support/use-started.ts';

const allow = async (app: SendingApp, page: Parameters<SendingApp['answer']>[0]) => {
  await allowButton(page).click();
  expect((await app.answer(page)).has('code')).to.equal(true);
};

describe('an app that sends its user to sign in', () => {
  const at = useConnectPage();

  it('needs no sign-in from a user with a session, and does not affect where a later sign-in leads', async () => {
    await at.arrive('/account');
    await at.heading('Servers').waitFor();
    await allow(await at.send(), at.page);
    await at.page.goto('/account#keys');
    await at.heading('API keys').waitFor();
    expect(await at.page.evaluate('localStorage.length + sessionStorage.length')).to.equal(0);
  });

  it("gets its answer after a sign-in by the host's link, which opens in another tab", async () => {
    const customer = await at.service.addUser({ externalId: 'customer-1' });
    const { secret: key } = await at.service.addKey({ user: await at.service.addUser({ isAdmin: true }) });
    const { body } = await at.service.call('POST', '/admin/users/customer-1/sign-in-link', { key });
    const app = await at.send();
    await at.see('to connect an app');
    const tab = await at.visitor.openTab(body.url);
    await tab.getByText('to connect an app').waitFor();
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByText(customer.email).waitFor();
    await allow(app, tab);
  });

  it('asks for a sign-in again if the session has ended meanwhile', async () => {
    at.expected = [consoleErrorOf(401, 'Unauthorized')];
    const app = await at.sendSignedIn();
    await at.service.connection.collection('sessions').deleteMany({});
    await allowButton(at.page).click();
    await at.see('Your session has ended.');
    await signIn(at.page, at.user.email);
    await allow(app, at.page);
  });

  it('receives access to another account if the user switches to it', async () => {
    const other = await at.service.addUser();
    const app = await at.sendSignedIn();
    await at.button('Use another account').click();
    await at.page.locator('input[name=email]:focus').waitFor();
    await signIn(at.page, other.email);
    await at.see(other.email);
    await allow(app, at.page);
    expect(await connectionsOf(at)).to.deep.equal([]);
    expect(await connectionsOf({ ...at, user: other })).to.have.length(1);
  });
});

describe('an app that sends its user to sign in at an identity provider', () => {
  const provider = useStarted(startIdentityProvider);
  const at = useConnectPage(() => ({ identityProvider: provider.settings, hasPasswordSignIn: false }));
  before(() => provider.serve(at.service.url));

  it('gets its answer after single sign-on, even if another tab has another app waiting', async () => {
    provider.at.account = { sub: 'ann-1', email: at.user.email, email_verified: true };
    const app = await at.send({ name: 'First agent' });
    const other = await startSendingApp(at.service, { name: 'Second agent' });
    const tab = await at.visitor.openTab(other.url);
    for (const [page, name, sender] of [
      [at.page, 'First agent', app],
      [tab, 'Second agent', other],
    ] as const) {
      const signOn = page.getByRole('button', { name: 'Continue with Example ID' });
      await signOn.or(allowButton(page)).first().waitFor();
      if (await signOn.isVisible()) await signOn.click();
      await page.getByText(name).first().waitFor();
      expect(new URL(page.url()).search, 'the code of the sign-on').to.equal('');
      await allow(sender, page);
    }
    other.stop();
    expect(await connectionsOf(at)).to.have.length(2);
  });
});
