/** The way of a link by mail in a real browser: from the sign-in page, by a mail, to a password that is set or skipped. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { widthBeyond } from '../../support/account-page.ts';
import { useBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { useMailService } from '../../support/mail-service.ts';

describe('a link by mail in a browser', () => {
  const service = useMailService();
  const browser = useBrowser();

  async function open(): Promise<Page> {
    const page = await (await browser.newVisitor(service.url)).openTab('/account');
    await page.setViewportSize({ width: 360, height: 740 });
    return page;
  }

  /** What the page says then. */
  async function askFor(page: Page, email: string): Promise<string> {
    await page.getByRole('button', { name: 'Get a link by e-mail' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    const answer = page.getByRole('status').filter({ hasText: 'a link to sign in is on its way' });
    return ((await answer.textContent()) ?? '').replace(email, 'ADDRESS');
  }

  async function follow(page: Page, email: string): Promise<void> {
    const [mail] = await service.smtp.waitFor(email, 1);
    await page.goto(/http\S+\/account\/link#\S+/.exec(mail?.text ?? '')?.[0] ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  const seesServers = (page: Page) => page.getByRole('heading', { name: 'Servers', exact: true }).waitFor();

  it('says what to do where a program has cut or changed the link on its way', async () => {
    const token = 'a'.repeat(43);
    for (const end of ['', '#', `#${token.slice(0, 20)}`, `#${token}.`, `%23${token}`]) {
      const page = await open();
      await page.goto(`${service.url}/account/link${end}`);
      await page.getByText('Copy the whole address from the mail into your browser').waitFor();
      await page.getByRole('button', { name: 'Get a link by e-mail' }).waitFor();
    }
  });

  it('says the same of every address, and leads back to the password', async () => {
    const { email } = await service.addUser();
    const said = [];
    for (const asked of [email, 'unknown@example.com']) {
      const page = await open();
      said.push(await askFor(page, asked));
      expect(await widthBeyond(page)).to.equal(0);
      await page.getByRole('button', { name: 'Back' }).click();
      await page.getByLabel('Password').waitFor();
    }
    expect(said[0]).to.equal(said[1]);
    expect(said[0]).to.match(/^If ADDRESS has an account here, a link to sign in is on its way\./);
  });

  it('asks who has no password for one, in a form that is checked, and signs in', async () => {
    const email = 'ann@example.com';
    await service.models.users.add({ email }, new Date());
    const page = await open();
    await askFor(page, email);
    await follow(page, email);
    await page.getByText('You have no password yet.').waitFor();
    expect(await widthBeyond(page)).to.equal(0);
    await page.getByLabel('New password', { exact: true }).fill('battery staple 9');
    await page.getByLabel('New password again').fill('another');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('The passwords do not match.').waitFor();
    await page.getByLabel('New password again').fill('battery staple 9');
    await page.getByRole('button', { name: 'Set password' }).click();
    await seesServers(page);
    await eventually(async () =>
      expect((await service.models.users.findByEmail(email))?.passwordHash).to.match(/^\$argon2/),
    );
  });

  it('lets the password be skipped, and set later from the menu without the old one', async () => {
    const { email } = await service.addUser();
    const page = await open();
    await askFor(page, email);
    await follow(page, email);
    await page.getByText('Forgot your password? Set a new one').waitFor();
    await page.getByRole('button', { name: 'Skip for now' }).click();
    await seesServers(page);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog');
    await eventually(async () => expect(await dialog.getByLabel('Current password').count()).to.equal(0));
    await dialog.getByLabel('New password', { exact: true }).fill('battery staple 9');
    await dialog.getByLabel('New password again').fill('battery staple 9');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed.').waitFor();
  });
});
