/** Links to a new key, in a real browser: they fill in the form, and only its button creates the key. */
import { expect } from 'chai';
import {
  creativeUuid,
  dismissSecret,
  keyOf,
  openKeyList,
  signIn,
  useAccountPage,
  useKeyOwner,
  waitForCount,
  waitForValue,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

describe('a link for a new key', () => {
  const at = useAccountPage();
  const { listLive } = useKeyOwner(at);

  const linkTo = (query: Record<string, string>) => `/account/keys/new?${new URLSearchParams(query)}`;
  const isChecked = (name: string) => at.box(name).isChecked();

  it('fills in the form after the sign-in, and creates the key only on the button', async () => {
    const scopes = 'read:account,write:servers';
    await at.page.goto(linkTo({ name: 'Status bot', scopes, servers: creativeUuid, expires_in_days: '30' }));
    await signIn(at.page, at.user.email);
    await at.see('A link has filled in this form.');
    await waitForValue(at.field('Name'), 'Status bot');
    await eventually(async () => expect(await isChecked('Creative')).to.equal(true));
    expect([await isChecked('read:account'), await isChecked('write:servers')]).to.deep.equal([true, true]);
    expect([await isChecked('read:files'), await isChecked('Survival')]).to.deep.equal([false, false]);
    await waitForValue(at.field('Expires'), '30');
    expect(await listLive()).to.deep.equal([]);
    await at.inDialog('Create key').click();
    await dismissSecret(at.page);
    await keyOf(at.page, 'Status bot').getByText('Only servers: Creative').waitFor();
    const [key] = await listLive();
    expect(key?.scopes).to.deep.equal(['read:account', 'write:servers']);
    expect(new URL(at.page.url()).hash).to.equal('#keys');
    await at.page.reload();
    await keyOf(at.page, 'Status bot').waitFor();
    expect(await at.dialog().count()).to.equal(0);
  });

  it('opens the form at once for a signed-in user, and not again after it was canceled', async () => {
    await openKeyList(at);
    await at.page.goto(linkTo({ name: 'Bot', scopes: 'read:account', expires_in_days: '45' }));
    await waitForValue(at.field('Name'), 'Bot');
    await waitForValue(at.field('Expires'), 'date');
    await at.inDialog('Cancel').click();
    await at.page.reload();
    await at.see('No live keys');
    expect(await at.dialog().count()).to.equal(0);
    await at.page.goto('/account/keys/new');
    await waitForValue(at.field('Name'), '');
    await waitForValue(at.field('Expires'), '90');
    await waitForCount(at.dialog().getByRole('checkbox', { checked: true }), 0);
  });

  it('names what does not exist or is not offered, ticks none of it, and executes nothing from the link', async () => {
    const offending = ['admin:users', 'root', '<img src=x onerror=alert(1)>', '__proto__'];
    const scopes = ['read:account', ...offending, 'y'.repeat(500)].join();
    const servers = 'a1b2c3d4,ffffffff,<b>bold</b>';
    await at.page.setViewportSize({ width: 360, height: 780 });
    await openKeyList(at);
    const name = `${'x'.repeat(300)}<script>`;
    await at.page.goto(linkTo({ name, scopes, servers, expires_in_days: '-1' }));
    for (const text of [...offending, 'ffffffff', '<b>bold</b>'])
      await at.dialog().getByText(text, { exact: true }).waitFor();
    await at.see('The link requests an expiry that is not available');
    await waitForCount(at.dialog().getByRole('checkbox', { checked: true }), 2); // read:account and Survival
    await waitForValue(at.field('Name'), 'x'.repeat(100));
    expect(await at.dialog().locator('img').count()).to.equal(0);
    await at.isFit();
  });

  it('does not create a key for all servers if the link requests servers that the user lacks', async () => {
    await openKeyList(at);
    await at.page.goto(linkTo({ name: 'Bot', scopes: 'read:account', servers: 'ffffffff' }));
    await at.see('The link also requests servers that you do not have');
    await at.inDialog('Create key').click();
    await at.see('choose at least one');
    expect(await listLive()).to.deep.equal([]);
  });
});
