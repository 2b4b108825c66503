/** Single sign-on in a real browser, from the button on the account page through the provider and back. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { dialogOf, waitForCount } from '../../support/account-page.ts';
import { useBrowser } from '../../support/browser.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { startTestService } from '../../support/service.ts';
import { useStarted } from '../../support/use-started.ts';

describe('single sign-on on the account page', () => {
  const provider = useStarted(startIdentityProvider);
  const service = useStarted(() =>
    startTestService({ config: { identityProvider: provider.settings, hasPasswordSignIn: false } }),
  );
  const browser = useBrowser();
  let page: Page;

  before(async () => {
    provider.serve(service.url);
    await service.addUser({ email: 'ann@example.com' });
  });
  beforeEach(async () => {
    page = await (await browser.newVisitor(service.url)).openTab('/account');
  });

  const signIn = () => page.getByRole('button', { name: 'Continue with Example ID' }).click();

  it('signs in by the button, leaves no code in the address, lists the session and signs out', async () => {
    provider.at.account = { sub: 'ann-1', email: 'ann@example.com', email_verified: true };
    await signIn();
    await page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
    expect(page.url()).to.equal(`${service.url}/account`);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sessions' }).click();
    await dialogOf(page).getByText('This one').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${provider.issuer}/session/end**`);
    await page.goto(`${service.url}/account`);
    await page.getByRole('button', { name: 'Continue with Example ID' }).waitFor();
  });

  it("links an account to staff signed in by an operator's link, and signs in with it from then on", async () => {
    const { _id, email } = await service.addUser({ isAdmin: true });
    provider.at.account = { sub: 'staff-1', email, email_verified: true };
    const { token } = await service.models.signInLinks.create(_id, new Date(service.clock.now()));
    await page.goto(`${service.url}/account/link#${token}`);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Link Example ID' }).click();
    await page.getByRole('heading', { name: 'Support desk' }).waitFor();
    page = await (await browser.newVisitor(service.url)).openTab('/account');
    await signIn();
    await page.getByRole('heading', { name: 'Support desk' }).waitFor();
  });

  it('continues to the destination of an earlier link', async () => {
    provider.at.account = { sub: 'ann-1', email: 'ann@example.com', email_verified: true };
    await page.goto(`${service.url}/account#activity`);
    await signIn();
    await page.getByRole('heading', { name: 'Activity', exact: true }).waitFor();
    const address = '/account/servers/ffffffff/files?file=%2Fa.yml';
    page = await (await browser.newVisitor(service.url)).openTab(address);
    await signIn();
    await page.getByRole('heading', { name: 'No such server' }).waitFor();
    expect(page.url()).to.equal(service.url + address);
  });

  it('explains a refused sign-in in plain words, and offers no password where passwords are off', async () => {
    provider.at.account = { sub: 'bob-1', email: 'bob@example.com', email_verified: true };
    await signIn();
    await page.getByText('There is no account for your e-mail address here; ask support.').waitFor();
    await page.getByRole('button', { name: 'Continue with Example ID' }).waitFor();
    await waitForCount(page.getByLabel('Password'), 0);
  });

  it('signs in both of two tabs that begin at once, and a refusal in a third signs no one out', async () => {
    provider.at.account = { sub: 'ann-1', email: 'ann@example.com', email_verified: true };
    const visitor = await browser.newVisitor(service.url);
    const tabs = [await visitor.openTab('/account'), await visitor.openTab('/account')];
    let begun = 0;
    let release = () => {};
    const bothBegan = new Promise<void>((resolve) => {
      release = resolve;
    });
    await visitor.context.route(`${provider.issuer}/auth?**`, async (route) => {
      begun += 1;
      if (begun === tabs.length) release();
      await bothBegan;
      await route.continue();
    });
    await Promise.all(
      tabs.map((tab) => tab.getByRole('button', { name: 'Continue with Example ID' }).click()),
    );
    for (const tab of tabs) await tab.getByRole('button', { name: 'Your account' }).waitFor();
    const third = await visitor.openTab('/account/callback?error=access_denied&state=of-no-tab');
    await third.getByText('You are signed in as ann@example.com').waitFor();
    await third.getByRole('button', { name: 'Go to your account' }).click();
    await third.getByRole('button', { name: 'Your account' }).waitFor();
  });
});
