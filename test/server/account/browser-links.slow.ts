/** Sign-in links from the host's system, by mail and in an invitation, in a real browser. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createPageQueries, overflowWidth, signIn, waitForCount } from '../../support/account-page.ts';
import { useBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { useMailService } from '../../support/mail-service.ts';

describe('a sign-in link in a browser', () => {
  const service = useMailService({ config: { signInHelp: 'https://host.example/help' } });
  const browser = useBrowser();
  const at = { page: undefined as unknown as Page };
  const { button, heading, link, see, field, inDialog } = createPageQueries(at);

  const open = async (path = '/account') => {
    at.page = await (await browser.newVisitor(service.url)).openTab(path);
    await at.page.setViewportSize({ width: 360, height: 740 });
  };
  beforeEach(() => open());
  const arrives = () => heading('Servers').waitFor();

  describe("from the host's system", () => {
    let url: string;

    before(() => service.addUser({ email: 'dana@example.com', externalId: 'customer-1' }));
    beforeEach(async () => {
      const { secret: key } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
      const { body } = await service.call('POST', '/admin/users/customer-1/sign-in-link', { key });
      url = body.url;
    });

    it('signs in by its button, by keyboard, even after a preview opened it, and leaves no token in the address', async () => {
      await at.page.goto(url);
      await button('Continue').waitFor();
      await open();
      await at.page.goto(url);
      await button('Continue').waitFor();
      expect(at.page.url()).to.equal(`${service.url}/account`);
      await button('Continue').press('Enter');
      await arrives();
    });

    it('leads to the account if this browser used it already, and elsewhere to the other ways to sign in', async () => {
      await at.page.goto(url);
      await button('Continue').click();
      await arrives();
      await at.page.goto(url);
      await see('This sign-in link was already used');
      await see('You are signed in as dana@example.com.');
      await button('Go to your account').click();
      await arrives();
      await open();
      await at.page.goto(url);
      await see('This sign-in link was already used; ask for a new one');
      await at.page.getByLabel('Password').waitFor();
      const help = link('Get help from your host');
      expect(await help.getAttribute('href')).to.equal('https://host.example/help');
    });
  });

  async function askFor(email: string): Promise<string> {
    await button('Get a link by e-mail').click();
    await at.page.getByLabel('E-mail').fill(email);
    await button('Send the link').click();
    const answer = at.page.getByRole('status').filter({ hasText: 'a link to sign in is on its way' });
    return ((await answer.textContent()) ?? '').replace(email, 'ADDRESS');
  }

  /** Opens a link in another tab, as a mail program does. */
  async function follow(email: string): Promise<void> {
    const [mail] = await service.smtp.waitFor(email, 1);
    at.page = await at.page.context().newPage();
    await at.page.goto(/http\S+\/account\/link#\S+/.exec(mail?.text ?? '')?.[0] ?? '');
    await button('Continue').click();
  }

  describe('by mail', () => {
    it('explains what to do if a program has cut or changed it on its way', async () => {
      const token = 'a'.repeat(43);
      for (const end of ['', '#', `#${token.slice(0, 20)}`, `#${token}.`, `%23${token}`]) {
        await open(`/account/link${end}`);
        await see('Copy the whole address from the mail into your browser');
        await button('Get a link by e-mail').waitFor();
      }
    });

    it('is promised to every address in the same words, with a way back to the password', async () => {
      const { email } = await service.addUser();
      const said = [];
      for (const asked of [email, 'unknown@example.com']) {
        await open();
        said.push(await askFor(asked));
        expect(await overflowWidth(at.page)).to.equal(0);
        await button('Back').click();
        await at.page.getByLabel('Password').waitFor();
      }
      expect(said[0]).to.equal(said[1]);
      expect(said[0]).to.match(/^If ADDRESS has an account here, a link to sign in is on its way\./);
    });

    it('signs in a user without a password who requests it in a validated form', async () => {
      const email = 'ann@example.com';
      await service.models.users.add({ email }, new Date());
      await askFor(email);
      await follow(email);
      await see('You have no password yet.');
      expect(await overflowWidth(at.page)).to.equal(0);
      await at.page.getByLabel('New password', { exact: true }).fill('battery staple 9');
      await at.page.getByLabel('New password again').fill('another');
      await button('Set password').click();
      await see('The passwords do not match.');
      await at.page.getByLabel('New password again').fill('battery staple 9');
      await button('Set password').click();
      await arrives();
      await eventually(async () =>
        expect((await service.models.users.findByEmail(email))?.passwordHash).to.match(/^\$argon2/),
      );
    });

    it('lets the user skip the password, and set it later from the menu without the old one', async () => {
      const { email } = await service.addUser();
      await askFor(email);
      await follow(email);
      await see('Forgot your password? Set a new one');
      await button('Skip for now').click();
      await arrives();
      await button('Your account').click();
      await button('Change password').click();
      await waitForCount(field('Current password'), 0);
      await field('New password').fill('battery staple 9');
      await field('New password again').fill('battery staple 9');
      await inDialog('Change password').click();
      await see('Password changed.');
    });

    it('leads to the new key that another link has requested', async () => {
      const { email } = await service.addUser();
      await open('/account/keys/new?name=Bot&scopes=read:account');
      await askFor(email);
      await follow(email);
      await button('Skip for now').click();
      await see('A link has filled in this form.');
      expect(await field('Name').inputValue()).to.equal('Bot');
    });
  });

  describe('in an invitation', () => {
    it("reaches a user without an id in the host's system, and signs in", async () => {
      const admin = await service.addUser({ isAdmin: true });
      const { _id, email } = await service.addUser({ panelUserId: 7, externalId: null });
      await open(`/account#admin/user-${_id}`);
      await signIn(at.page, admin.email);
      await button(`Invite ${email}`).click();
      await inDialog('Send the invitation').click();
      await see('is on its way');
      const entries = await service.models.auditEntries.list({ userId: admin._id, limit: 10 });
      const invitation = entries.find(({ operation }) => operation === 'admin.inviteUser');
      expect(invitation).to.include({ target: `~${_id}`, status: 200 });
      await open();
      await follow(email);
      await button('Skip for now').click();
      await arrives();
    });

    it('is not offered for a suspended user', async () => {
      const admin = await service.addUser({ isAdmin: true });
      const { _id, email } = await service.addUser();
      await service.models.userAccess.setActive(_id, false, new Date(service.clock.now()));
      await open(`/account#admin/user-${_id}`);
      await signIn(at.page, admin.email);
      await button(`Resume ${email}`).waitFor();
      expect(await button(`Invite ${email}`).count()).to.equal(0);
    });
  });
});
