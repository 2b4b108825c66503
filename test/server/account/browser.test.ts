/** The account page in a real browser: what somebody does there, and what the API then says. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { UserRecord } from '../../../models/user.ts';
import {
  createKey,
  dialogOf,
  keyOf,
  putAway,
  refusal,
  shownSecret,
  signIn,
} from '../../support/account-page.ts';
import { openBrowser, type TestBrowser, type Visitor } from '../../support/browser.ts';
import { startTestService, type TestService } from '../../support/service.ts';

describe('the account page in a browser', () => {
  let service: TestService;
  let browser: TestBrowser;
  let user: UserRecord;
  let visitor: Visitor;
  let page: Page;
  /** What the console is expected to say of refusals; of all else it says nothing. */
  let expected: string[];

  before(async () => {
    service = await startTestService();
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });
  beforeEach(async () => {
    expected = [];
    user = await service.addUser();
    visitor = await browser.newVisitor(service.url);
    page = await visitor.openTab('/account');
  });
  afterEach(async () => {
    await visitor.close();
    expect(visitor.strayRequests, 'requests to other hosts').to.deep.equal([]);
    expect(visitor.complaints, 'complaints of the browser').to.deep.equal(expected);
  });

  const statusWith = async (key: string) => (await service.call('GET', '/me', { key })).status;
  const enter = async () => {
    await signIn(page, user.email);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
  };

  it('signs in and shows that there are no keys yet', async () => {
    await enter();
    await page.getByText('No live keys').waitFor();
    await page.getByText('0 of 25').waitFor();
  });

  it('says that a password is wrong, and lets one try again', async () => {
    expected = [refusal(401, 'Unauthorized')];
    await signIn(page, user.email, 'wrong');
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
    await enter();
  });

  it('creates a key that works at once, and then shows its use', async () => {
    await enter();
    const secret = await createKey(page, 'Deploy script');
    await putAway(page);
    const key = keyOf(page, 'Deploy script');
    await key.getByText('120 of 120').waitFor();
    expect(await statusWith(secret)).to.equal(200);
    await page.getByRole('button', { name: 'Refresh the list' }).click();
    await key.getByText('119 of 120').waitFor();
    await key.getByText('just now').waitFor();
  });

  it('shows a secret once: it is gone from the page, its memory and the service once it is put away', async () => {
    await enter();
    const secret = await createKey(page, 'Deploy script');
    expect(await page.content()).to.include(secret);
    await putAway(page);
    const kept = async () => (await page.content()) + JSON.stringify(await visitor.context.storageState());
    expect(await kept()).not.to.include(secret);
    const answers: Promise<string>[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/trpc/')) answers.push(response.text());
    });
    await page.reload();
    await keyOf(page, 'Deploy script').waitFor();
    expect((await kept()) + (await Promise.all(answers)).join()).not.to.include(secret);
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).to.equal(0);
  });

  it('copies a secret', async () => {
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await enter();
    const secret = await createKey(page, 'Deploy script');
    await dialogOf(page).getByRole('button', { name: 'Copy API key' }).click();
    await dialogOf(page).getByRole('status').getByText('Copied API key').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(secret);
  });

  it('says what a new key lacks, and makes none', async () => {
    await enter();
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(page).getByLabel('Expires').selectOption('On a date');
    await dialogOf(page).getByRole('button', { name: 'Create key' }).click();
    for (const problem of [
      'Give the key a name.',
      'Choose at least one scope.',
      'Choose a date in the future.',
    ])
      await page.getByText(problem).waitFor();
    expect(await service.models.apiKeys.list(user._id)).to.deep.equal([]);
  });

  it('rotates a key: the new secret works, the old one ends as chosen', async () => {
    await enter();
    const old = await createKey(page, 'Deploy script');
    await putAway(page);
    await page.getByRole('button', { name: 'Rotate Deploy script' }).click();
    await dialogOf(page).getByRole('radio', { name: 'In an hour' }).check();
    await dialogOf(page).getByRole('button', { name: 'Rotate key' }).click();
    const secret = await shownSecret(page);
    await putAway(page);
    await page.getByText(/^Replaced, ends in (59 minutes|1 hour)$/).waitFor();
    expect([await statusWith(secret), await statusWith(old)]).to.deep.equal([200, 200]);
    service.clock.advance(60 * 60 * 1000);
    expect([await statusWith(secret), await statusWith(old)]).to.deep.equal([200, 401]);
  });

  it('revokes a key after asking, and its next call is refused', async () => {
    await enter();
    const secret = await createKey(page, 'Deploy script');
    await putAway(page);
    await page.getByRole('button', { name: 'Revoke Deploy script' }).click();
    await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
    expect(await statusWith(secret)).to.equal(200);
    await page.getByRole('button', { name: 'Revoke Deploy script' }).click();
    await dialogOf(page).getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('status').getByText('Deploy script is revoked.').waitFor();
    expect(await statusWith(secret)).to.equal(401);
    await page.getByText('No live keys').waitFor();
  });

  it('asks to sign in again when the session has expired, and goes on from there', async () => {
    expected = [refusal(401, 'Unauthorized')];
    await enter();
    await createKey(page, 'Deploy script');
    await putAway(page);
    service.clock.advance(2 * 60 * 60 * 1000);
    await page.getByRole('button', { name: 'Refresh the list' }).click();
    await page.getByText('Your session has ended. Sign in to go on.').waitFor();
    await enter();
    await keyOf(page, 'Deploy script').waitFor();
  });

  it('keeps two tabs of one person together: keys made, and the end of the session', async () => {
    expected = [refusal(401, 'Unauthorized')];
    await enter();
    const other = await visitor.openTab('/account');
    await other.getByText('No live keys').waitFor();
    await createKey(page, 'Deploy script');
    await putAway(page);
    await other.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await keyOf(other, 'Deploy script').waitFor();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('button', { name: 'Revoke Deploy script' }).click();
    await dialogOf(other).getByRole('button', { name: 'Revoke key' }).click();
    await other.getByText('Your session has ended. Sign in to go on.').waitFor();
    expect((await service.models.apiKeys.listLive(user._id, new Date())).length).to.equal(1);
  });

  it('signs out, for good', async () => {
    await enter();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('changes the password, and goes on with the session', async () => {
    await enter();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Change password' }).click();
    const dialog = dialogOf(page);
    await dialog.getByLabel('Current password').fill('correct horse');
    await dialog.getByLabel('New password', { exact: true }).fill('battery staple 9');
    await dialog.getByLabel('New password again').fill('battery staple 8');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await dialog.getByText('This is not the same password.').waitFor();
    await dialog.getByLabel('New password again').fill('battery staple 9');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('status').getByText('Password changed.').waitFor();
    expect(await service.models.users.findByPassword(user.email, 'battery staple 9')).not.to.equal(null);
    await page.reload();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
  });

  it('says that the list could not be fetched, and fetches it when asked again', async () => {
    expected = ['Failed to load resource: net::ERR_FAILED'];
    await page.route('**/keys.list*', (route) => route.abort());
    await enter();
    await page.getByText('The service did not answer.').waitFor();
    await page.unroute('**/keys.list*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No live keys').waitFor();
  });
});
