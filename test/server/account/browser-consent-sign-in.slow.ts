/** Each way to sign in leads back to the request of the app that sent the user, in a real browser. */
import { expect } from 'chai';
import { refusal, signIn } from '../../support/account-page.ts';
import { allowButton, connectionsOf, stageConnectPage, startSendingApp } from '../../support/connect-page.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { useStarted } from '../../support/use-started.ts';

describe('an app that sends its user to sign in', () => {
  const at = stageConnectPage();

  it('needs no sign-in of a user who has a session', async () => {
    await at.page.goto('/account');
    await signIn(at.page, at.user.email);
    await at.page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
    const app = await at.send();
    await allowButton(at.page).click();
    expect((await app.answer(at.page)).has('code')).to.equal(true);
  });

  it("gets its answer after a sign-in by the host's link, which opens in another tab", async () => {
    const customer = await at.service.addUser({ externalId: 'customer-1' });
    const { secret: key } = await at.service.addKey({ user: await at.service.addUser({ isAdmin: true }) });
    const { body } = await at.service.call('POST', '/admin/users/customer-1/sign-in-link', { key });
    const app = await at.send();
    await at.page.getByText('to connect an app').waitFor();
    const tab = await at.visitor.openTab(body.url);
    await tab.getByText('to connect an app').waitFor();
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByText(customer.email).waitFor();
    await allowButton(tab).click();
    expect((await app.answer(tab)).has('code')).to.equal(true);
  });

  it('asks again after a session that has ended meanwhile', async () => {
    at.expected = [refusal(401, 'Unauthorized')];
    const app = await at.sendSignedIn();
    await at.service.connection.collection('sessions').deleteMany({});
    await allowButton(at.page).click();
    await at.page.getByText('Your session has ended.').waitFor();
    await signIn(at.page, at.user.email);
    await allowButton(at.page).click();
    expect((await app.answer(at.page)).has('code')).to.equal(true);
  });

  it('is granted another account, when the user changes to it', async () => {
    const other = await at.service.addUser();
    const app = await at.sendSignedIn();
    await at.page.getByRole('button', { name: 'Use another account' }).click();
    await at.page.locator('input[name=email]:focus').waitFor();
    await signIn(at.page, other.email);
    await at.page.getByText(other.email).waitFor();
    await allowButton(at.page).click();
    expect((await app.answer(at.page)).has('code')).to.equal(true);
    expect(await connectionsOf(at)).to.deep.equal([]);
    expect(await connectionsOf({ ...at, user: other })).to.have.length(1);
  });

  it('leaves nothing in the browser that a later sign-in would lead to', async () => {
    const app = await at.sendSignedIn();
    await allowButton(at.page).click();
    await app.answer(at.page);
    await at.page.goto('/account#keys');
    await at.page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(await at.page.evaluate('localStorage.length + sessionStorage.length')).to.equal(0);
  });
});

describe('an app that sends its user to sign in at an identity provider', () => {
  const provider = useStarted(startIdentityProvider);
  const at = stageConnectPage(() => ({ identityProvider: provider.settings, hasPasswordSignIn: false }));

  it('gets its answer after the single sign-on', async () => {
    provider.serve(at.service.url);
    provider.at.account = { sub: 'ann-1', email: at.user.email, email_verified: true };
    const app = await at.send();
    await at.page.getByRole('button', { name: 'Continue with Example ID' }).click();
    await allowButton(at.page).waitFor();
    expect(new URL(at.page.url()).search, 'the code of the sign-on').to.equal('');
    await allowButton(at.page).click();
    expect((await app.answer(at.page)).has('code')).to.equal(true);
    expect(await connectionsOf(at)).to.have.length(1);
  });

  it('gets its own answer, where another tab has another app waiting', async () => {
    provider.at.account = { sub: 'bea-1', email: at.user.email, email_verified: true };
    const app = await at.send({ name: 'First agent' });
    const other = await startSendingApp(at.service, { name: 'Second agent' });
    const tab = await at.visitor.openTab(other.url);
    for (const [page, name] of [
      [at.page, 'First agent'],
      [tab, 'Second agent'],
    ] as const) {
      const signOn = page.getByRole('button', { name: 'Continue with Example ID' });
      await signOn.or(allowButton(page)).first().waitFor();
      if (await signOn.isVisible()) await signOn.click();
      await page.getByText(name).first().waitFor();
      await allowButton(page).click();
    }
    expect((await app.answer(at.page)).has('code')).to.equal(true);
    expect((await other.answer(tab)).has('code')).to.equal(true);
    await other.stop();
  });
});
