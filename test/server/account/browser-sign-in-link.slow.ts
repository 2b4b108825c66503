/** A sign-in link in a real browser: only its button uses it, and a refusal is shown in plain words. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { useService } from '../../support/service.ts';

describe('a sign-in link in a browser', () => {
  const service = useService({ config: { signInHelp: 'https://host.example/help' } });
  const browser = useBrowser();
  let url: string;

  before(async () => {
    const { _id } = await service.addUser({ email: 'dana@example.com', externalId: 'customer-1' });
    expect(_id).to.equal(1);
  });
  beforeEach(async () => {
    const { secret: key } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const { body } = await service.call('POST', '/admin/users/customer-1/sign-in-link', { key });
    url = body.url;
  });

  const open = async (): Promise<Page> => {
    const page = await (await browser.newVisitor(service.url)).openTab('/account');
    await page.goto(url);
    return page;
  };
  const button = (page: Page) => page.getByRole('button', { name: 'Continue' });

  it('signs in by its button, by keyboard, also after a preview has opened it, and leaves no token in the address', async () => {
    await button(await open()).waitFor();
    const page = await open();
    await button(page).waitFor();
    expect(page.url()).to.equal(`${service.url}/account`);
    await button(page).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
  });

  it('leads on to the other ways to sign in, and to the help of the host, when it was used', async () => {
    const first = await open();
    await button(first).click();
    await first.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
    const page = await open();
    await page.getByText('This sign-in link was already used; ask for a new one').waitFor();
    await page.getByLabel('Password').waitFor();
    const help = page.getByRole('link', { name: 'Get help from your host' });
    await eventually(async () =>
      expect(await help.getAttribute('href')).to.equal('https://host.example/help'),
    );
  });

  it('leads on to the account, when it was used in this browser', async () => {
    const page = await open();
    await button(page).click();
    await page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
    await page.goto(url);
    await page.getByText('This sign-in link was already used').waitFor();
    await page.getByText('You are signed in as dana@example.com.').waitFor();
    await page.getByRole('button', { name: 'Go to your account' }).click();
    await page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
  });
});
