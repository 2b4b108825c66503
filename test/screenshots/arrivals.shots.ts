/** npm run screenshots: how users arrive, by links, single sign-on and wrong addresses, for a person to look at. */
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../support/browser.ts';
import { type Look, looks, photograph } from '../support/camera.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('pictures of arrivals', () => {
  let provider: TestIdentityProvider;
  let service: TestService;
  let browser: TestBrowser;

  before(async () => {
    provider = await startIdentityProvider();
    const signInHelp = 'Forgot your password? Write to help@host.example.';
    const config = { identityProvider: provider.settings, signInHelp };
    service = await startTestService({ hasApps: true, config });
    provider.serve(service.url);
    provider.at.account = { sub: 'eve', email: 'eve@example.com', email_verified: true };
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await service.stop();
    await provider.stop();
  });

  for (const look of looks)
    it(`in ${look.name}`, async () => {
      const visitor = await browser.newVisitor(service.url, look.options);
      const page = await visitor.openTab('/account');
      const shoot = shootAs(page, look);
      await page.getByRole('button', { name: 'Continue with Example ID' }).waitFor();
      await shoot('01-single-sign-on');
      await page.getByRole('button', { name: 'Continue with Example ID' }).click();
      await page.getByText('There is no account for your e-mail address here').waitFor();
      await shoot('02-single-sign-on-refused');
      await followLink(page, shoot);
      await lookAtErrors(page, shoot);
      await visitor.close();
    });

  type Shoot = (name: string) => Promise<void>;

  const shootAs = (page: Page, look: Look) => (name: string) =>
    photograph(page, `arrivals-${name}-${look.name}`, { isWhole: true });

  async function followLink(page: Page, shoot: Shoot) {
    const user = await service.addUser();
    const { token } = await service.models.signInLinks.create(user._id, new Date());
    await page.goto(`/account/link#${token}`);
    await page.getByText(`This link opens the account of ${user.email}.`).waitFor();
    await shoot('03-link');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.goto(`/account/link#${token}`);
    await page.getByText('This sign-in link was already used').waitFor();
    await shoot('04-link-used');
  }

  async function lookAtErrors(page: Page, shoot: Shoot) {
    await page.goto('/nope');
    await shoot('05-not-found');
    await page.goto('/oauth/authorize?client_id=unknown');
    await shoot('06-wrong-request');
    await page.route('**/session.current*', (route) => route.abort());
    await page.goto('/account');
    await page.getByText('The service did not answer.').waitFor();
    await shoot('07-no-answer');
    await page.unroute('**/session.current*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No live keys').waitFor();
    await service.connection.collection('sessions').deleteMany({});
    await page.getByRole('link', { name: 'Tickets', exact: true }).click();
    await page.getByText('Your session has ended.').waitFor();
    await shoot('08-session-ended');
  }
});
