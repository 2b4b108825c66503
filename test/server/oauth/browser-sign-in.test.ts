/** However a user signs in (password, single sign-on, a link from the host), the browser comes back to the app's request. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { signIn } from '../../support/account-page.ts';
import { openBrowser, seriousBarriers, type TestBrowser, type Visitor } from '../../support/browser.ts';
import { type BrowserApp, startBrowserApp } from '../../support/browser-app.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/identity-provider.ts';
import { authorizeUrl, register } from '../../support/oauth-app.ts';
import { startTestService, type TestService } from '../../support/service.ts';

describe("an app's request in a browser", () => {
  let provider: TestIdentityProvider;
  let service: TestService;
  let browser: TestBrowser;
  let visitor: Visitor;
  let page: Page;
  let app: BrowserApp;

  before(async () => {
    provider = await startIdentityProvider();
    service = await startTestService({ hasApps: true, config: { identityProvider: provider.settings } });
    provider.serve(service.url);
    browser = await openBrowser();
    await service.addUser({ email: 'ann@example.com', externalId: 'customer-1' } as never);
  });
  after(async () => {
    await browser.close();
    await service.stop();
    await provider.stop();
  });
  beforeEach(async () => {
    app = await startBrowserApp(async () => {});
    const clientId: string = (await register(service, app.clientMetadata)).body.client_id;
    const params = { redirect_uri: app.redirectUrl, scope: 'read:account write:tickets' };
    visitor = await browser.newVisitor(service.url);
    page = await visitor.openTab(authorizeUrl(service, { clientId, params }, 'verifier'));
  });
  afterEach(async () => {
    await visitor.close();
    app.stop();
  });

  const question = () => page.getByText('wants to use your gamehost account as ann@example.com').waitFor();
  const press = (name: string) => page.getByRole('button', { name }).click();
  const back = async () => {
    await page.getByText('You may close this page.').waitFor();
    return app.arrived();
  };

  it('is asked after a password, by keyboard alone, and Allow brings the code back', async () => {
    await signIn(page, 'ann@example.com');
    await question();
    expect(await seriousBarriers(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Allow' }).focus();
    await page.keyboard.press('Enter');
    expect((await back()).get('code')).to.have.length(43);
    expect(visitor.complaints).to.deep.equal([]);
  });

  it('is asked after single sign-on', async () => {
    provider.at.account = { sub: 'ann-1', email: 'ann@example.com', email_verified: true };
    await press('Continue with Example ID');
    await question();
    await press('Allow');
    expect((await back()).has('code')).to.equal(true);
  });

  it('is asked after a sign-in link, which opens in another tab', async () => {
    const { token } = await service.models.signInLinks.create(1, new Date());
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    page = await visitor.openTab(`/account/link#${token}`);
    await press('Continue');
    await question();
    await press('Allow');
    expect((await back()).has('code')).to.equal(true);
  });

  it('sends access_denied back on Deny', async () => {
    await signIn(page, 'ann@example.com');
    await question();
    await press('Deny');
    expect((await back()).get('error')).to.equal('access_denied');
  });

  it('grants what stays ticked, and the app is then listed on the account page', async () => {
    await signIn(page, 'ann@example.com');
    await question();
    await page.getByRole('checkbox', { name: 'write:tickets' }).uncheck();
    await press('Allow');
    await back();
    const [grant] = await service.models.oauthGrants.list(1, new Date());
    expect(grant?.scopes).to.deep.equal(['read:account']);
    await page.goto(`${service.url}/account#apps`);
    await page.getByRole('heading', { name: 'Test agent' }).first().waitFor();
  });

  it('says in plain words that it has expired', async () => {
    await service.connection.collection('oauth_requests').deleteMany({});
    await signIn(page, 'ann@example.com');
    await page.getByText('Start again in the app').waitFor();
  });
});
