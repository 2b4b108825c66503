/** The account page as a user operates it in a browser, by its visible texts. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { UserRecord } from '../../models/user.ts';
import { type TestBrowser, useBrowser, type Visitor } from './browser.ts';
import { startTestService, type TestService } from './service.ts';
import { useStarted } from './use-started.ts';

const password = 'correct horse';

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

/** Of the page: on a phone they stand in a menu. */
export async function openSection(page: Page, name: string): Promise<void> {
  const menu = page.locator('.sections-button[aria-expanded="false"]');
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('link', { name, exact: true }).click();
}

export const shownSecret = async (page: Page, name = 'API key'): Promise<string> =>
  (await page.getByRole('group', { name }).textContent()) ?? '';

/** Puts the secret away, for good. */
export const putAway = (page: Page): Promise<void> =>
  dialogOf(page).getByRole('button', { name: 'I have copied it' }).click();

/** By how many pixels the page scrolls sideways. */
export const widthBeyond = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** The sum that Core Web Vitals calls cumulative layout shift; they call 0.1 good. */
export const layoutShiftOf = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
  const sum = (list) => list.getEntries().reduce((total, { value }) => total + value, 0);
  new PerformanceObserver((list) => resolve(sum(list))).observe({ type: 'layout-shift', buffered: true });
  setTimeout(resolve, 500, 0);
})`);

/** What the browser says on its console when the service refuses something. */
export const refusal = (status: number, words: string): string =>
  `Failed to load resource: the server responded with a status of ${status} (${words})`;

export interface Scene {
  service: TestService;
  browser: TestBrowser;
  user: UserRecord;
  visitor: Visitor;
  page: Page;
  /** What the browser's console is expected to say of refusals; of all else it must say nothing. */
  expected: string[];
}

/** A new visitor of the account page for each test; afterwards no console error and no request to another host may have occurred. */
export function stageAccountPage(start: () => Promise<TestService> = startTestService): Scene {
  // The hooks fill the rest in, before a test looks.
  const scene = { browser: useBrowser(), service: useStarted(start) } as Scene;
  beforeEach(async () => {
    scene.expected = [];
    scene.user = await scene.service.addUser();
    scene.visitor = await scene.browser.newVisitor(scene.service.url);
    scene.page = await scene.visitor.openTab('/account#keys');
  });
  afterEach(async () => {
    await scene.visitor.close();
    expect(scene.visitor.strayRequests, 'requests to other hosts').to.deep.equal([]);
    expect(scene.visitor.complaints, 'complaints of the browser').to.deep.equal(scene.expected);
  });
  return scene;
}

/** Signs in and waits for the list. */
export async function enter({ page, user }: Scene): Promise<void> {
  await signIn(page, user.email);
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
}

/** What the API says to a key now. */
export const statusWith = async ({ service }: Scene, key: string): Promise<number> =>
  (await service.call('GET', '/me', { key })).status;
