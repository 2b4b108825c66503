/** Keys on the account page in a real browser, with their restrictions and first calls, and the effect in the API. */
import { expect } from 'chai';
import { defaultScopes } from '../../../routers/scopes.ts';
import {
  actOnKey,
  consoleErrorOf,
  createKey,
  createPageQueries,
  dismissSecret,
  keyOf,
  openKeyList,
  openScopes,
  shownSecret,
  signInWithoutForm,
  statusWith,
  useAccountPage,
  useKeyOwner,
  waitForCount,
  waitForValue,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';
import { createKeyboard } from '../../support/keyboard.ts';
import { startTestService } from '../../support/service.ts';

const dayMs = 24 * 60 * 60 * 1000;

describe('the Keys tab of the account page', () => {
  const at = useAccountPage();
  const { press, write, hasFocus } = createKeyboard(at);
  const { listLive } = useKeyOwner(at);

  it('creates a key that works at once, copies its secret, and shows it only once: no page, storage or response has it later', async () => {
    await at.visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openKeyList(at);
    const secret = await createKey(at.page, 'Deploy script');
    expect(await at.page.content()).to.include(secret);
    await at.inDialog('Copy API key').click();
    await at.dialog().getByRole('status').getByText('Copied API key').waitFor();
    await eventually(async () =>
      expect(await at.page.evaluate('navigator.clipboard.readText()')).to.equal(secret),
    );
    await dismissSecret(at.page);
    const key = keyOf(at.page, 'Deploy script');
    await key.getByText('120 of 120').waitFor();
    expect(await statusWith(at, secret)).to.equal(200);
    await at.button('Refresh the list').click();
    await key.getByText('119 of 120').waitFor();
    await key.getByText('just now').waitFor();
    const kept = async () =>
      (await at.page.content()) + JSON.stringify(await at.visitor.context.storageState());
    expect(await kept()).not.to.include(secret);
    const answers: Promise<string>[] = [];
    at.page.on('response', (response) => {
      if (response.url().includes('/trpc/')) answers.push(response.text());
    });
    await at.page.reload();
    await key.waitFor();
    expect((await kept()) + (await Promise.all(answers)).join()).not.to.include(secret);
    expect(await at.page.evaluate('localStorage.length + sessionStorage.length')).to.equal(0);
  });

  it('names the missing fields of a new key, and creates none', async () => {
    await openKeyList(at);
    await at.button('Create key').click();
    await at.field('Expires').selectOption('On a date');
    const date = at.field('Date');
    await date.evaluate((field: { max: string; value: string }) => {
      field.max = '';
      field.value = '123456-01-01';
    });
    await at.inDialog('Create key').click();
    for (const problem of [
      'Give the key a name.',
      'Choose at least one scope.',
      'Choose a date in the future, with a four-digit year.',
    ])
      await at.see(problem);
    expect(await listLive()).to.deep.equal([]);
  });

  it('works by keyboard alone, from the sign-in to a key whose restrictions take effect at once', async () => {
    await at.page.setViewportSize({ width: 360, height: 800 });
    await at.page.goto('/account#keys');
    await at.page.locator('input[name=email]:focus').waitFor();
    await at.page.keyboard.type(at.user.email);
    await at.page.keyboard.press('Tab');
    await at.page.keyboard.type('correct horse');
    await at.page.keyboard.press('Enter');
    await at.see('No live keys');
    await press(at.button('Create key').first());
    await at.dialog().waitFor();
    await at.page.keyboard.press('Escape');
    await hasFocus(at.button('Create key').first());
    await at.page.keyboard.press('Enter');
    await hasFocus(at.field('Name'));
    await at.page.keyboard.type('Restart robot');
    await press(at.dialog().getByText('Choose single scopes'));
    await press(at.box('read:account'), 'Space');
    await press(at.dialog().getByText('Restrict it to servers or addresses'));
    await press(at.box('Survival'), 'Space');
    await write(at.field('Addresses'), '127.0.0.0/8, 2001:db8::/48');
    await press(at.inDialog('Create key'));
    const key = await shownSecret(at.page);
    const { body } = await at.service.call('GET', '/key', { key });
    expect(body.key.servers).to.deep.equal(['a1b2c3d4']);
    expect(body.key.addresses).to.deep.equal(['127.0.0.0/8', '2001:db8::/48']);
    expect((await at.service.call('GET', '/servers/b1b2c3d4', { key })).status).to.equal(404);
    await press(at.dialog().getByRole('tab', { name: 'curl' }), 'ArrowLeft');
    await hasFocus(at.dialog().getByRole('tab', { name: 'MCP' }));
    await at.page.keyboard.press('Escape');
    await press(at.inDialog('I have copied it')); // Escape does not lose the secret.
    const item = at.entry('Restart robot');
    await item.getByText('Only servers: Survival').waitFor();
    await item.getByText('127.0.0.0/8').waitFor();
    await waitForCount(at.dialog(), 0);
  });

  it('refuses an invalid IP address in a sentence that names the field, and keeps what was typed', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request')];
    await openKeyList(at);
    await at.button('Create key').first().click();
    await at.field('Name').fill('Robot');
    await at.dialog().getByRole('radio', { name: 'Read only' }).check();
    await at.dialog().getByText('Restrict it to servers or addresses').click();
    await at.box('Survival').check();
    await at.field('Addresses').fill('everywhere');
    await at.inDialog('Create key').click();
    await at.see('Each of “Addresses” must be an address or a range');
    await hasFocus(at.field('Addresses'));
    await at.page.keyboard.press('Escape');
    await at.button('Create key').first().click();
    await at.box('Survival').waitFor();
    await waitForValue(at.field('Addresses'), 'everywhere');
    await eventually(async () => expect(await at.box('Survival').isChecked()).to.equal(true));
  });

  it('grants what a preset says, and shows which preset single scopes match', async () => {
    const preset = (name: string) => at.dialog().getByRole('radio', { name });
    await openKeyList(at);
    await at.button('Create key').first().click();
    await at.field('Name').fill('Robot');
    await preset('Read only').check();
    await press(preset('Read only'), 'ArrowDown');
    await at.see('· 2 chosen');
    await openScopes(at.page);
    expect(await at.box('write:servers').isChecked()).to.equal(true);
    await at.box('write:servers').uncheck();
    expect(await preset('Custom').isChecked()).to.equal(true);
    await preset('Agent').check();
    await at.page.keyboard.press('Escape');
    await at.button('Create key').first().click();
    await preset('Agent').and(at.page.locator(':checked')).waitFor(); // from the draft
    await at.inDialog('Create key').click();
    await dismissSecret(at.page);
    const [key] = await listLive();
    expect(key?.scopes).to.have.members([...defaultScopes]);
  });

  for (const [width, height] of [
    [1280, 720],
    [360, 640],
  ] as const)
    it(`keeps the button to create a key in view on ${width} x ${height} pixels`, async () => {
      await at.page.setViewportSize({ width, height });
      await openKeyList(at);
      await at.button('Create key').first().click();
      await openScopes(at.page);
      await at.box('write:webhooks').scrollIntoViewIfNeeded();
      const box = await at.inDialog('Create key').boundingBox();
      expect(box && box.y > 0 && box.y + box.height <= height).to.equal(true);
      await at.isFit();
    });

  it('renames a key from its menu, and returns the focus there', async () => {
    await openKeyList(at);
    const secret = await createKey(at.page, 'Deploy script');
    await dismissSecret(at.page);
    const menu = at.button('Actions for Deploy script');
    await press(menu);
    await press(at.button('Rename'));
    await waitForValue(at.field('Name'), 'Deploy script');
    await at.page.keyboard.press('Escape');
    await hasFocus(menu);
    await actOnKey(at.page, 'Deploy script', 'Rename');
    await at.field('Name').fill(' ');
    await at.inDialog('Rename key').click();
    await at.see('Give the key a name.');
    await at.field('Name').fill('Nightly backup');
    await at.inDialog('Rename key').click();
    await at.page.getByRole('status').getByText('The key is now named Nightly backup.').waitFor();
    await keyOf(at.page, 'Nightly backup').waitFor();
    expect((await at.service.call('GET', '/key', { key: secret })).body.key.name).to.equal('Nightly backup');
  });

  it('says on a key which of its scopes do not work now, and why', async () => {
    const newKey = { userId: at.user._id, name: 'Old bot', expiresAt: null };
    const scopes = ['read:account', 'admin:tickets'];
    await at.service.models.apiKeys.issue({ ...newKey, scopes }, new Date());
    await openKeyList(at);
    const key = keyOf(at.page, 'Old bot');
    await key.getByText('Does not work now admin:tickets: Your account lacks the role for it.').waitFor();
    await waitForCount(key.getByRole('list', { name: 'Scopes' }).getByText('admin:tickets'), 0);
  });

  for (const [scope, path, seen] of [
    ['read:account', '/api/v1/servers', '"name": "Survival"'],
    ['read:catalog', '/api/v1/key', '"read:catalog"'],
  ] as const)
    it(`shows the whole first call of a new key with ${scope}, and runs it`, async () => {
      await at.page.setViewportSize({ width: 360, height: 640 });
      await openKeyList(at);
      await at.button('Create key').first().click();
      await at.field('Name').fill('Robot');
      await openScopes(at.page);
      await at.box(scope).check();
      await at.inDialog('Create key').click();
      const secret = await shownSecret(at.page);
      const curl = at.dialog().getByRole('group', { name: 'curl snippet' });
      const command = `curl -H "Authorization: Bearer ${secret}" ${at.service.url}${path}`;
      expect(await curl.textContent()).to.equal(command);
      expect(await curl.evaluate((box) => box.scrollWidth - box.clientWidth)).to.equal(0);
      await press(at.inDialog('Run it'));
      await at.dialog().getByRole('status').getByText('The service answered 200:').waitFor();
      await at.dialog().getByRole('group', { name: 'Answer' }).getByText(seen).waitFor();
      await at.isFit();
    });

  it('says so when the first call of a new key is not answered', async () => {
    at.expected = ['Failed to load resource: net::ERR_FAILED'];
    await openKeyList(at);
    await createKey(at.page, 'Deploy script');
    await at.page.route('**/api/v1/servers', (route) => route.abort(), { times: 1 });
    await at.inDialog('Run it').click();
    await at.see('The service did not answer. Try again.');
  });

  it('accepts an expiry chosen by keyboard, before and after a refusal', async () => {
    await openKeyList(at);
    await at.button('Create key').first().click();
    await press(at.field('Expires'), 'ArrowDown');
    await waitForValue(at.field('Expires'), '365');
    await at.inDialog('Create key').click();
    await at.see('Give the key a name.');
    await hasFocus(at.field('Name'));
    await press(at.field('Expires'), 'N');
    await at.see('A key that expires does less harm when it leaks.');
    await at.field('Name').fill('Robot');
    await at.dialog().getByRole('radio', { name: 'Read only' }).check();
    await waitForValue(at.field('Expires'), 'never');
    await at.inDialog('Create key').click();
    await dismissSecret(at.page);
    await keyOf(at.page, 'Robot').waitFor();
    const [key] = await listLive();
    expect(key?.expiresAt).to.equal(null);
  });

  it('reveals an error in a restriction that the user has collapsed', async () => {
    at.expected = [consoleErrorOf(400, 'Bad Request')];
    await openKeyList(at);
    await at.button('Create key').first().click();
    await at.field('Name').fill('Robot');
    await at.dialog().getByRole('radio', { name: 'Read only' }).check();
    const restrict = at.dialog().getByText('Restrict it to servers or addresses');
    await restrict.click();
    await at.field('Addresses').fill('everywhere');
    await restrict.click();
    await at.inDialog('Create key').click();
    await at.see('Each of “Addresses” must be an address or a range');
    await hasFocus(at.field('Addresses'));
  });

  const goBack = () =>
    at.page.evaluate(`new Promise((resolve) => {
      addEventListener('popstate', () => resolve(), { once: true });
      history.back();
    })`);

  it('keeps a new secret in view on Back, and leaves the page only after a confirmation', async () => {
    await openKeyList(at);
    for (const section of ['Activity', 'API keys']) await at.link(section).click();
    const secret = await createKey(at.page, 'Deploy script');
    for (let times = 0; times < 3; times += 1) {
      await goBack();
      expect(await shownSecret(at.page)).to.equal(secret);
    }
    const asked = at.page.waitForEvent('dialog');
    const leaving = at.page.evaluate('location.assign("/api/v1/docs")');
    const question = await asked;
    expect(question.type()).to.equal('beforeunload');
    await question.dismiss();
    await leaving;
    expect(await shownSecret(at.page)).to.equal(secret);
    await dismissSecret(at.page);
    await at.dialog().waitFor({ state: 'detached' });
    for (let times = 0; times < 2; times += 1) await goBack();
    await at.heading('Activity').waitFor();
    await at.page.goto('/api/v1/docs');
  });

  it('rotates a key: the new secret works, and the old one ends at the chosen time', async () => {
    await openKeyList(at);
    const old = await createKey(at.page, 'Deploy script');
    await dismissSecret(at.page);
    await actOnKey(at.page, 'Deploy script', 'Rotate');
    await at.dialog().getByRole('radio', { name: 'In an hour' }).check();
    await at.inDialog('Rotate key').click();
    const secret = await shownSecret(at.page);
    await dismissSecret(at.page);
    await at.see(/^Replaced, ends in (59 minutes|1 hour)$/);
    expect([await statusWith(at, secret), await statusWith(at, old)]).to.deep.equal([200, 200]);
    at.service.clock.advance(60 * 60 * 1000);
    expect([await statusWith(at, secret), await statusWith(at, old)]).to.deep.equal([200, 401]);
  });

  it('revokes a key after confirmation, and its next call is refused', async () => {
    await openKeyList(at);
    const secret = await createKey(at.page, 'Deploy script');
    await dismissSecret(at.page);
    await actOnKey(at.page, 'Deploy script', 'Revoke');
    await at.inDialog('Cancel').click();
    expect(await statusWith(at, secret)).to.equal(200);
    await actOnKey(at.page, 'Deploy script', 'Revoke');
    await at.inDialog('Revoke key').click();
    await at.page.getByRole('status').getByText('Deploy script is revoked.').waitFor();
    expect(await statusWith(at, secret)).to.equal(401);
    await at.see('No live keys');
    await hasFocus(at.heading('API keys'));
  });
});

describe('the Keys tab where new keys must expire and client addresses are unknown', () => {
  const config = { keyMaxDays: 30, publicUrl: 'https://api.example.com' };
  const at = useAccountPage(() => startTestService({ config }));

  it('marks keys that outlive the maximum, and offers no restriction to addresses', async () => {
    const issue = (name: string, days: number | null) => {
      const expiresAt = days && new Date(Date.now() + days * dayMs);
      const newKey = { userId: at.user._id, name, scopes: ['read:account'], expiresAt: expiresAt || null };
      return at.service.models.apiKeys.issue(newKey, new Date());
    };
    for (const [name, days] of [
      ['For ever', null],
      ['Longer', 31],
      ['Within', 29],
    ] as const)
      await issue(name, days);
    await openKeyList(at);
    const mark = 'Outlives the 30-day limit of new keys';
    for (const name of ['For ever', 'Longer']) await keyOf(at.page, name).getByText(mark).waitFor();
    await waitForCount(keyOf(at.page, 'Within').getByText(mark), 0);
    await at.button('Create key').first().click();
    await at.dialog().getByText('Restrict it to servers or addresses').click();
    await at.see('Addresses cannot be restricted here');
    await waitForCount(at.field('Addresses'), 0);
    await at.isFit();
  });

  it("counts days in the user's time zone", async () => {
    const visitor = await at.browser.newVisitor(at.service.url, { timezoneId: 'Pacific/Kiritimati' });
    await signInWithoutForm(visitor, at.user);
    const page = await visitor.openTab('/account#keys');
    const there = createPageQueries({ page });
    await page.clock.setFixedTime('2026-11-27T20:00:00Z'); // the 28th there
    await there.button('Create key').first().click();
    await there.field('Expires').selectOption('date');
    expect(await there.field('Date').getAttribute('min')).to.equal('2026-11-29');
    expect(await there.field('Date').getAttribute('max')).to.equal('2026-12-27');
    await visitor.close();
  });
});
