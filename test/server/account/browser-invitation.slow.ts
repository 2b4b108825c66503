/** An invitation by an administrator, and a link to a new key, through a mail to the customer, in a real browser. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { dialogOf, signIn } from '../../support/account-page.ts';
import { useBrowser } from '../../support/browser.ts';
import { useMailService } from '../../support/mail-service.ts';

describe('an invitation on the pages of administrators', () => {
  const service = useMailService();
  const browser = useBrowser();
  const open = async (path: string) => (await browser.newVisitor(service.url)).openTab(path);

  /** In another tab, as a mail program does. */
  async function follow(page: Page, email: string): Promise<Page> {
    const [mail] = await service.smtp.waitFor(email, 1);
    const tab = await page.context().newPage();
    await tab.goto(/http\S+\/account\/link#\S+/.exec(mail?.text ?? '')?.[0] ?? '');
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByRole('button', { name: 'Skip for now' }).click();
    return tab;
  }

  it('is mailed to a user who has no id in the system of the host, and lets in', async () => {
    const admin = await service.addUser({ isAdmin: true });
    const { _id, email } = await service.addUser({ panelUserId: 7, externalId: null });
    const page = await open(`/account#admin/user-${_id}`);
    await signIn(page, admin.email);
    await page.getByRole('button', { name: `Invite ${email}` }).click();
    await dialogOf(page).getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByText('is on its way').waitFor();
    const [entry] = await service.models.auditEntries.list({ userId: admin._id, limit: 1 });
    expect(entry).to.include({ operation: 'admin.inviteUser', target: `~${_id}`, status: 200 });
    const tab = await follow(await open('/account'), email);
    await tab.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
  });

  it('is not offered for who is suspended', async () => {
    const admin = await service.addUser({ isAdmin: true });
    const { _id, email } = await service.addUser();
    await service.models.userAccess.setActive(_id, false, new Date(service.clock.now()));
    const page = await open(`/account#admin/user-${_id}`);
    await signIn(page, admin.email);
    await page.getByRole('button', { name: `Resume ${email}` }).waitFor();
    expect(await page.getByRole('button', { name: `Invite ${email}` }).count()).to.equal(0);
  });

  it('like a link by mail leads on to the new key that a link has asked for', async () => {
    const { email } = await service.addUser();
    const page = await open('/account/keys/new?name=Bot&scopes=read:account');
    await page.getByRole('button', { name: 'Get a link by e-mail' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    const tab = await follow(page, email);
    await tab.getByText('A link has filled in this form.').waitFor();
    expect(await dialogOf(tab).getByLabel('Name').inputValue()).to.equal('Bot');
  });
});
