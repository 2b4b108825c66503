/** Users as an administrator manages them on the account page, in a real browser. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { panelServer } from '../../../server/panel/demo/attributes.ts';
import { dialogOf, refusal, signIn, stageAccountPage, widthBeyond } from '../../support/account-page.ts';
import { seriousBarriers } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';

describe('users on the pages of administrators', () => {
  const at = stageAccountPage();
  let ada: UserRecord;
  const button = (name: string | RegExp) => at.page.getByRole('button', { name });
  const users = () => at.page.getByRole('list', { name: 'Users' }).getByRole('listitem');

  beforeEach(async () => {
    await at.service.connection.collection('users').deleteMany({ email: /@first\.example$/ });
    at.user = await at.service.addUser({ isAdmin: true });
    ada = await at.service.addUser({
      ...{ email: 'ada@first.example', firstName: 'Ada', lastName: 'Lovelace', panelUserId: 7 },
    });
    await at.service.addUser({ email: 'grace@first.example', nickname: 'grace' });
    at.service.panel.servers.set(7, [panelServer({ name: 'Survival', suspended: true })]);
    at.service.clock.advance(60_000);
  });

  const open = async (address = 'admin/users') => {
    await at.page.goto(`/account#${address}`);
    await signIn(at.page, at.user.email);
  };

  const search = async (text: string) => {
    await at.page.getByRole('searchbox').fill(text);
    await at.page.getByRole('searchbox').press('Enter');
  };

  it('are found, suspended and resumed at once, and the focus returns to the list', async () => {
    const { secret } = await at.service.addKey({ user: ada });
    const status = async () => (await at.service.call('GET', '/me', { key: secret })).status;
    await open();
    await search('lovel');
    await eventually(async () => expect(await users().count()).to.equal(1));
    await users().getByRole('link', { name: ada.email }).click();
    await at.page.getByRole('heading', { name: ada.email }).waitFor();
    await at.page.getByRole('list', { name: 'Servers' }).getByText('Survival').waitFor();
    await button(`Suspend ${ada.email}`).click();
    await dialogOf(at.page).getByRole('button', { name: 'Suspend user' }).click();
    await at.page.getByText('Suspended', { exact: true }).waitFor();
    expect(await status()).to.equal(401);
    await button(`Resume ${ada.email}`).click();
    await dialogOf(at.page).getByRole('button', { name: 'Resume user' }).click();
    await button(`Suspend ${ada.email}`).waitFor();
    expect(await status()).to.equal(200);
    await at.page.getByRole('link', { name: 'All users' }).click();
    await at.page.locator(`a[href="#admin/user-${ada._id}"]:focus`).waitFor();
    expect(await at.page.getByRole('searchbox').inputValue()).to.equal('lovel');
  });

  it('are linked to a panel user, which no other user has', async () => {
    at.expected = [refusal(409, 'Conflict')];
    const grace = await at.service.models.users.findByEmail('grace@first.example');
    await open(`admin/user-${grace?._id}`);
    await at.page.getByText('None at the panel.').waitFor();
    const link = async (id: string) => {
      await dialogOf(at.page).getByLabel('Id of the panel user').fill(id);
      await dialogOf(at.page).getByRole('button', { name: 'Save' }).click();
    };
    await button('Change the panel user of grace@first.example').click();
    await link('seven');
    await at.page.getByText('Enter a whole number from 1, or nothing.').waitFor();
    await link('7');
    await at.page.getByText('panel_user_id belongs to another user.').waitFor();
    at.service.panel.servers.set(8, [panelServer({ name: 'Creative' })]);
    await link('8');
    await at.page.getByRole('list', { name: 'Servers' }).getByText('Creative').waitFor();
    expect((await at.service.models.users.findByEmail('grace@first.example'))?.panelUserId).to.equal(8);
  });

  it('of the staff are not changed here', async () => {
    at.expected = [refusal(409, 'Conflict')];
    const support = await at.service.addUser({ isSupport: true });
    await open(`admin/user-${at.user._id}`);
    await at.page.getByText('Administrators are changed on the command line only.').waitFor();
    await at.page.evaluate(`location.hash = '#admin/user-${support._id}'`);
    await button(`Suspend ${support.email}`).click();
    await dialogOf(at.page).getByRole('button', { name: 'Suspend user' }).click();
    await at.page.getByText('are changed on the command line only.').waitFor();
  });

  it('and all pages of administrators are not there for support, and say so to who came by a link', async () => {
    const support = await at.service.addUser({ isSupport: true });
    await at.page.goto('/account#admin/users');
    await signIn(at.page, support.email);
    await at.page.getByRole('heading', { name: 'Support desk' }).waitFor();
    expect(await at.page.getByRole('link', { name: 'Admin' }).count()).to.equal(0);
    at.expected = [refusal(403, 'Forbidden')];
    const now = new Date(at.service.clock.now());
    const { token } = await at.service.models.signInLinks.create(at.user._id, now);
    const tab = await at.visitor.openTab(`/account/link#${token}`);
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByRole('link', { name: 'Admin' }).click();
    await tab.getByText('Sign in with your password to do this, not by a link.').waitFor();
  });

  it('fit on a phone in the dark, with long and hostile names, without a serious axe violation', async () => {
    const email = `${'x'.repeat(60)}@first.example`;
    const long = await at.service.addUser({ email, firstName: '<b>שלום</b> (2)', panelUserId: 9 });
    await at.page.setViewportSize({ width: 360, height: 780 });
    await at.page.emulateMedia({ colorScheme: 'dark' });
    await open();
    await search('first.example');
    await users().filter({ hasText: email }).waitFor();
    expect(await widthBeyond(at.page)).to.equal(0);
    expect(await seriousBarriers(at.page)).to.deep.equal([]);
    await at.page.evaluate(`location.hash = '#admin/user-${long._id}'`);
    await at.page.getByText('None at the panel.').waitFor();
    await at.page.getByText('<b>שלום</b> (2)').waitFor();
    expect(await widthBeyond(at.page)).to.equal(0);
    expect(await seriousBarriers(at.page)).to.deep.equal([]);
  });
});
