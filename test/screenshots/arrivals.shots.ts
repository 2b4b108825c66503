/** npm run screenshots: how users arrive, by links, single sign-on and wrong addresses, for a person to look at. */
import type { Page } from 'playwright-core';
import { describeLooks, type Shoot } from '../support/camera.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.ts';
import { startTestService, type TestService } from '../support/service.ts';

let provider: TestIdentityProvider;

describeLooks({
  name: 'arrivals',
  shows: 'what is seen on arrival by a link, a single sign-on or a wrong address',
  async start() {
    provider = await startIdentityProvider();
    const signInHelp = 'Forgot your password? Write to help@host.example.';
    const config = { identityProvider: provider.settings, signInHelp };
    const service = await startTestService({ hasApps: true, config });
    await service.models.notices.settle(['customer'], new Date());
    return service;
  },
  prepare({ url }) {
    provider.serve(url);
    provider.at.account = { sub: 'eve', email: 'eve@example.com', email_verified: true };
  },
  stop: () => provider.stop(),
  async visit({ service, open }) {
    const { page, shoot } = await open('/account');
    await page.getByRole('button', { name: 'Continue with Example ID' }).waitFor();
    await shoot('01-single-sign-on', { isWhole: true });
    await page.getByRole('button', { name: 'Continue with Example ID' }).click();
    await page.getByText('There is no account for your e-mail address here').waitFor();
    await shoot('02-single-sign-on-refused', { isWhole: true });
    await getLinkByMail(service, page, shoot);
    await followLink(service, page, shoot);
    await lookAtErrors(service, page, shoot);
  },
});

async function getLinkByMail(service: TestService, page: Page, shoot: Shoot) {
  await page.getByRole('button', { name: 'Get a link by e-mail' }).click();
  const { _id, email } = await service.addUser();
  await page.getByLabel('E-mail').fill(email);
  await shoot('08-mailed-link', { isWhole: true });
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('a link to sign in is on its way').waitFor();
  await shoot('09-mailed-link-sent', { isWhole: true });
  const { token } = await service.models.signInLinks.create(_id, new Date(), { mailedTo: email });
  await page.goto(`/account/link#${token}`);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Forgot your password? Set a new one').waitFor();
  await shoot('10-set-password', { isWhole: true });
  await page.getByRole('button', { name: 'Skip for now' }).click();
  await page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
  await page.context().clearCookies();
}

async function followLink(service: TestService, page: Page, shoot: Shoot) {
  const user = await service.addUser();
  const { token } = await service.models.signInLinks.create(user._id, new Date());
  await page.goto(`/account/link#${token}`);
  await page.getByText(`This link opens the account of ${user.email}.`).waitFor();
  await shoot('03-link', { isWhole: true });
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
  await page.goto(`/account/link#${token}`);
  await page.getByText('This sign-in link was already used').waitFor();
  await shoot('04-link-used', { isWhole: true });
}

async function lookAtErrors(service: TestService, page: Page, shoot: Shoot) {
  await page.goto('/nope');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await shoot('05-not-found', { isWhole: true });
  await page.getByRole('link', { name: 'Go to your account' }).click();
  await page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
  await page.goto('/oauth/authorize?client_id=unknown');
  await page.getByRole('heading', { name: 'The app could not be connected' }).waitFor();
  await page.getByText('Close this page and start again in the app.').waitFor();
  await shoot('06-wrong-request', { isWhole: true });
  await page.route('**/session.current*', (route) => route.abort());
  await page.goto('/account');
  await page.getByText('The service did not answer.').waitFor();
  await shoot('07-no-answer', { isWhole: true });
  await page.unroute('**/session.current*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No servers').waitFor();
  await service.connection.collection('sessions').deleteMany({});
  await page.evaluate("location.hash = '#tickets'"); // by no click: the page may have noticed already
  await page.getByText('Your session has ended.').waitFor();
  await shoot('08-session-ended', { isWhole: true });
}
