/** A link that opens the form of a new key filled in, in a real browser: it creates nothing by itself. */
import { expect } from 'chai';
import { panelServer } from '../../../server/panel/demo/attributes.ts';
import {
  dialogOf,
  enter,
  keyOf,
  putAway,
  signIn,
  stageAccountPage,
  widthBeyond,
} from '../../support/account-page.ts';
import { seriousBarriers } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';

const linkTo = (query: Record<string, string>) => `/account/keys/new?${new URLSearchParams(query)}`;

const uuid = 'b1b2c3d4-259b-452e-8b4e-cecc464142ca';

describe('a link to a new key', () => {
  const at = stageAccountPage();
  const dialog = () => dialogOf(at.page);
  const scope = (name: string) => dialog().getByRole('checkbox', { name });
  const listLive = () => at.service.models.apiKeys.listLive(at.user._id, new Date(at.service.clock.now()));
  const isChecked = async (name: string) => scope(name).isChecked();

  beforeEach(async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    at.service.panel.servers.set(7, [
      panelServer({ identifier: 'a1b2c3d4', name: 'Survival' }),
      panelServer({ identifier: 'b1b2c3d4', uuid, name: 'Creative' }),
    ]);
    at.service.clock.advance(60_000);
  });

  it('opens the form filled in after the sign-in, and only the button creates the key', async () => {
    const scopes = 'read:account,write:servers';
    await at.page.goto(linkTo({ name: 'Status bot', scopes, servers: uuid, expires_in_days: '30' }));
    await signIn(at.page, at.user.email);
    await dialog().getByText('A link has filled in this form.').waitFor();
    expect(await dialog().getByLabel('Name').inputValue()).to.equal('Status bot');
    await eventually(async () => expect(await isChecked('Creative')).to.equal(true));
    expect([await isChecked('read:account'), await isChecked('write:servers')]).to.deep.equal([true, true]);
    expect([await isChecked('read:files'), await isChecked('Survival')]).to.deep.equal([false, false]);
    expect(await dialog().getByLabel('Expires').inputValue()).to.equal('30');
    expect(await listLive()).to.deep.equal([]);
    await dialog().getByRole('button', { name: 'Create key' }).click();
    await putAway(at.page);
    await keyOf(at.page, 'Status bot').getByText('Only servers: b1b2c3d4').waitFor();
    const [key] = await listLive();
    expect(key?.scopes).to.deep.equal(['read:account', 'write:servers']);
    expect(new URL(at.page.url()).hash).to.equal('#keys');
    await at.page.reload();
    await keyOf(at.page, 'Status bot').waitFor();
    expect(await dialog().count()).to.equal(0);
  });

  it('opens it at once for who is signed in, and once: canceled, it does not open again', async () => {
    await enter(at);
    await at.page.goto(linkTo({ name: 'Bot', scopes: 'read:account', expires_in_days: '45' }));
    expect(await dialog().getByLabel('Name').inputValue()).to.equal('Bot');
    expect(await dialog().getByLabel('Expires').inputValue()).to.equal('date');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await at.page.reload();
    await at.page.getByText('No live keys').waitFor();
    expect(await dialog().count()).to.equal(0);
    await at.page.getByRole('button', { name: 'Create key' }).click();
    expect(await dialog().getByLabel('Name').inputValue()).to.equal('');
  });

  it('stays through a sign-in by a link, which opens in another tab', async () => {
    await at.page.goto(linkTo({ name: 'Bot', scopes: 'read:account' }));
    await at.page.getByLabel('Password').waitFor();
    const now = new Date(at.service.clock.now());
    const { token } = await at.service.models.signInLinks.create(at.user._id, now);
    const tab = await at.visitor.openTab(`/account/link#${token}`);
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByText('A link has filled in this form.').waitFor();
    expect(await dialogOf(tab).getByLabel('Name').inputValue()).to.equal('Bot');
  });

  it('names what is not there or not offered, ticks none of it, and runs nothing of it', async () => {
    const scopes = [
      'read:account',
      'admin:users',
      'root',
      '<img src=x onerror=alert(1)>',
      '__proto__',
    ].join();
    const servers = 'a1b2c3d4,ffffffff,<b>bold</b>';
    await at.page.setViewportSize({ width: 360, height: 780 });
    await enter(at);
    await at.page.goto(
      linkTo({
        name: `${'x'.repeat(300)}<script>`,
        scopes: `${scopes},${'y'.repeat(500)}`,
        servers,
        expires_in_days: '-1',
      }),
    );
    for (const name of [
      'admin:users',
      'root',
      '<img src=x onerror=alert(1)>',
      '__proto__',
      'ffffffff',
      '<b>bold</b>',
    ])
      await dialog().getByText(name, { exact: true }).waitFor();
    await dialog().getByText('The link asks for an expiry that there is not').waitFor();
    const ticked = await dialog().getByRole('checkbox', { checked: true }).count();
    expect(ticked, 'read:account and Survival').to.equal(2);
    expect(await dialog().getByLabel('Name').inputValue()).to.equal('x'.repeat(100));
    expect(await dialog().locator('img').count()).to.equal(0);
    expect(await widthBeyond(at.page)).to.equal(0);
    expect(await seriousBarriers(at.page)).to.deep.equal([]);
  });

  it('makes no key of all servers where it asks for some that the user does not have', async () => {
    await enter(at);
    await at.page.goto(linkTo({ name: 'Bot', scopes: 'read:account', servers: 'ffffffff' }));
    await dialog().getByText('The link also asks for servers that you do not have').waitFor();
    await dialog().getByRole('button', { name: 'Create key' }).click();
    await dialog().getByText('choose at least one').waitFor();
    expect(await listLive()).to.deep.equal([]);
  });

  it('opens an empty form where it asks for nothing', async () => {
    await enter(at);
    await at.page.goto('/account/keys/new');
    expect(await dialog().getByLabel('Name').inputValue()).to.equal('');
    expect(await dialog().getByLabel('Expires').inputValue()).to.equal('90');
    expect(await dialog().getByRole('checkbox', { checked: true }).count()).to.equal(0);
  });
});
