/** The account page as somebody uses it in a browser, by the words that stand on it. */
import type { Page } from 'playwright-core';

export const password = 'correct horse';

export const dialogOf = (page: Page) => page.getByRole('dialog');

/** The entry of a live key. */
export const keyOf = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Live keys' }).getByRole('listitem').filter({ hasText: name });

export async function signIn(page: Page, email: string, secret = password): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Creates a key that may read the account, and leaves its secret in sight. */
export async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = dialogOf(page);
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('checkbox', { name: 'read:account' }).check();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  return shownSecret(page);
}

export const shownSecret = async (page: Page): Promise<string> =>
  (await page.getByRole('group', { name: 'API key' }).textContent()) ?? '';

/** Puts the secret away, for good. */
export const putAway = (page: Page): Promise<void> =>
  dialogOf(page).getByRole('button', { name: 'I have copied it' }).click();

/** What the browser says on its console when the service refuses something. */
export const refusal = (status: number, words: string): string =>
  `Failed to load resource: the server responded with a status of ${status} (${words})`;
