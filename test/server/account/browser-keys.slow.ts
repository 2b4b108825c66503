/** Managing keys on the account page in a real browser, and the effect in the API. */
import { expect } from 'chai';
import {
  createKey,
  dialogOf,
  enter,
  keyOf,
  putAway,
  shownSecret,
  stageAccountPage,
  statusWith,
} from '../../support/account-page.ts';
import { eventually } from '../../support/eventually.ts';

describe('keys on the account page', () => {
  const at = stageAccountPage();

  it('creates a key that works at once, copies its secret, and shows that once: then it is in no page, storage or response', async () => {
    await at.visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await enter(at);
    const secret = await createKey(at.page, 'Deploy script');
    expect(await at.page.content()).to.include(secret);
    await dialogOf(at.page).getByRole('button', { name: 'Copy API key' }).click();
    await dialogOf(at.page).getByRole('status').getByText('Copied API key').waitFor();
    await eventually(async () =>
      expect(await at.page.evaluate('navigator.clipboard.readText()')).to.equal(secret),
    );
    await putAway(at.page);
    const key = keyOf(at.page, 'Deploy script');
    await key.getByText('120 of 120').waitFor();
    expect(await statusWith(at, secret)).to.equal(200);
    await at.page.getByRole('button', { name: 'Refresh the list' }).click();
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

  it('names what is missing in the form of a new key, and creates none', async () => {
    await enter(at);
    await at.page.getByRole('button', { name: 'Create key' }).click();
    await dialogOf(at.page).getByLabel('Expires').selectOption('On a date');
    await dialogOf(at.page).getByRole('button', { name: 'Create key' }).click();
    for (const problem of [
      'Give the key a name.',
      'Choose at least one scope.',
      'Choose a date in the future',
    ])
      await at.page.getByText(problem).waitFor();
    expect(await at.service.models.apiKeys.listLive(at.user._id, new Date())).to.deep.equal([]);
  });

  /** Playwright's own waits for an address to change. */
  const goBack = () =>
    at.page.evaluate(`new Promise((resolve) => {
      addEventListener('popstate', () => resolve(), { once: true });
      history.back();
    })`);

  it('keeps a secret in view at Back, and leaves the page with it only after a confirmation', async () => {
    await enter(at);
    for (const section of ['Activity', 'API keys'])
      await at.page.getByRole('link', { name: section, exact: true }).click();
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
    await putAway(at.page);
    await dialogOf(at.page).waitFor({ state: 'detached' });
    for (let times = 0; times < 2; times += 1) await goBack();
    await at.page.getByRole('heading', { name: 'Activity', exact: true }).waitFor();
    await at.page.goto('/api/v1/docs');
  });

  it('rotates a key: the new secret works, the old one ends at the chosen time', async () => {
    await enter(at);
    const old = await createKey(at.page, 'Deploy script');
    await putAway(at.page);
    await at.page.getByRole('button', { name: 'Rotate Deploy script' }).click();
    await dialogOf(at.page).getByRole('radio', { name: 'In an hour' }).check();
    await dialogOf(at.page).getByRole('button', { name: 'Rotate key' }).click();
    const secret = await shownSecret(at.page);
    await putAway(at.page);
    await at.page.getByText(/^Replaced, ends in (59 minutes|1 hour)$/).waitFor();
    expect([await statusWith(at, secret), await statusWith(at, old)]).to.deep.equal([200, 200]);
    at.service.clock.advance(60 * 60 * 1000);
    expect([await statusWith(at, secret), await statusWith(at, old)]).to.deep.equal([200, 401]);
  });

  it('revokes a key after confirmation, and its next call is refused', async () => {
    await enter(at);
    const secret = await createKey(at.page, 'Deploy script');
    await putAway(at.page);
    await at.page.getByRole('button', { name: 'Revoke Deploy script' }).click();
    await dialogOf(at.page).getByRole('button', { name: 'Cancel' }).click();
    expect(await statusWith(at, secret)).to.equal(200);
    await at.page.getByRole('button', { name: 'Revoke Deploy script' }).click();
    await dialogOf(at.page).getByRole('button', { name: 'Revoke key' }).click();
    await at.page.getByRole('status').getByText('Deploy script is revoked.').waitFor();
    expect(await statusWith(at, secret)).to.equal(401);
    await at.page.getByText('No live keys').waitFor();
    await eventually(async () =>
      expect(await at.page.locator(':focus').textContent(), 'the focus').to.equal('API keys'),
    );
  });
});
