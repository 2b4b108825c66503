/** npm run screenshots: the account page in all its states, for a person to look at. */
import type { Page } from 'playwright-core';
import { scopes } from '../../routers/scopes.ts';
import { createKey as createNamedKey, putAway } from '../support/account-page.ts';
import { describeLooks, type Shoot } from '../support/camera.ts';
import type { TestService } from '../support/service.ts';

const dayMs = 24 * 60 * 60 * 1000;
const password = 'correct horse battery';

describeLooks({
  name: 'account',
  shows: 'the page of keys, from the sign-in to a key that was revoked,',
  async visit({ service, open }) {
    const user = await service.addUser({ password, nickname: 'dana', isAdmin: true });
    const { page, shoot } = await open('/account#keys');
    await signIn(page, user.email, shoot);
    await addKeys(service, user._id);
    await page.reload();
    await lookAtKeys(page, shoot);
    await createKey(page, shoot);
    await changeKeys(page, shoot);
    await createLongKey(page, shoot);
  },
});

async function signIn(page: Page, email: string, shoot: Shoot) {
  await page.getByLabel('E-mail').fill(email);
  await shoot('01-sign-in');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('wrong').waitFor();
  await shoot('02-sign-in-refused');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('No live keys').waitFor();
  await shoot('03-no-keys');
}

async function addKeys({ models, clock, call }: TestService, userId: number) {
  const at = (days: number) => new Date(clock.now() + days * dayMs);
  const issue = async (name: string, granted: readonly string[], [created, expires]: [number, number?]) => {
    const expiresAt = expires === undefined ? null : at(expires);
    return models.apiKeys.issue({ userId, name, scopes: granted, expiresAt }, at(created));
  };
  const deploy = await issue('Deploy script', ['read:catalog', 'read:account', 'write:servers'], [-9, 81]);
  await issue('Community website', ['read:catalog'], [-200]);
  await issue('Claude Code', scopes, [-26, 4.5]);
  await issue('Hackathon 2025', ['read:catalog'], [-70, -40]);
  const { key } = await issue('Old laptop', ['read:account'], [-300]);
  await models.apiKeys.revoke(key._id, at(-1));
  await Promise.all(Array.from({ length: 37 }, () => call('GET', '/key', { key: deploy.secret })));
}

async function lookAtKeys(page: Page, shoot: Shoot) {
  await page.getByText('Deploy script').waitFor();
  await page.getByText('Ended keys').click();
  await page.evaluate('scrollTo(0, 0)');
  await shoot('04-keys', { isWhole: true });
  await page.getByRole('button', { name: 'Your account' }).click();
  await shoot('05-menu');
  await page.getByRole('button', { name: 'Change password' }).click();
  await shoot('06-password');
  await page.keyboard.press('Escape');
}

async function createKey(page: Page, shoot: Shoot) {
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await shoot('07-create-incomplete');
  await dialog.getByLabel('Name').fill('Status page');
  await dialog.getByRole('checkbox', { name: 'read:account' }).check();
  await dialog.getByLabel('Expires').selectOption('date');
  await dialog.getByLabel('Date').fill(new Date(Date.now() + 45 * dayMs).toISOString().slice(0, 10));
  await shoot('08-create');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('it will not be shown again').waitFor();
  await shoot('09-secret');
  for (const tab of ['TypeScript', 'MCP']) {
    await dialog.getByRole('tab', { name: tab }).click();
    await shoot(`10-secret-${tab.toLowerCase()}`);
  }
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
}

async function changeKeys(page: Page, shoot: Shoot) {
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Rotate Claude Code' }).click();
  await shoot('11-rotate');
  await dialog.getByRole('button', { name: 'Rotate key' }).click();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('button', { name: 'Revoke Community website' }).click();
  await shoot('12-revoke');
  await dialog.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('is revoked').waitFor();
  await page.evaluate('scrollTo(0, 0)');
  await shoot('13-rotated-and-revoked', { isWhole: true });
}

async function createLongKey(page: Page, shoot: Shoot) {
  await createNamedKey(page, 'x'.repeat(100));
  await shoot('14-secret-of-a-long-name');
  await putAway(page);
  await page.getByRole('button', { name: 'Rotate xxx' }).click();
  await shoot('15-rotate-a-long-name');
  await page.keyboard.press('Escape');
  await shoot('16-long-name', { isWhole: true });
}
