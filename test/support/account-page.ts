/** The account page as a user operates it in a browser, by its visible texts. */
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { UserRecord } from '../../models/user.ts';
import { findAccessibilityViolations, type TestBrowser, useBrowser, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { panelServer } from './panel/attributes.ts';
import { startTestService, type TestService } from './service.ts';
import { useStarted } from './use-started.ts';

const password = 'correct horse';

export const dialogOf = (page: Page) => page.getByRole('dialog');

export const keyOf = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Live keys' }).getByRole('listitem').filter({ hasText: name });

export async function signIn(page: Page, email: string, secret = password): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function signInWithoutForm(
  { context }: Visitor,
  { email }: Pick<UserRecord, 'email'>,
): Promise<void> {
  const answer = await context.request.post('/account/trpc/session.signIn', {
    data: { email, password },
    headers: { 'Sec-Fetch-Site': 'same-origin' },
  });
  expect(answer.status(), await answer.text()).to.equal(200);
}

export async function signOut(at: ReturnType<typeof createPageQueries>): Promise<void> {
  await at.button('Your account').click();
  await at.button('Sign out').click();
  await at.heading('Sign in').waitFor();
}

/** Creates a key that may read the account, and leaves the dialog with its secret open. */
export async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = dialogOf(page);
  await dialog.getByLabel('Name').fill(name);
  await openScopes(page);
  await dialog.getByRole('checkbox', { name: 'read:account' }).check();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  return shownSecret(page);
}

/** Unfolds the single scopes. */
export const openScopes = (page: Page): Promise<void> => page.getByText('Choose single scopes').click();

/** Opens a key's menu and chooses an action. */
export async function actOnKey(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('button', { name: action, exact: true }).click();
}

/** Opens a section, in a narrow window from the menu. */
export async function openSection(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: /^Menu: / });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('link', { name, exact: true }).click();
}

export const shownSecret = async (page: Page, name = 'API key'): Promise<string> =>
  (await page.getByRole('group', { name }).textContent()) ?? '';

/** Closes the dialog with the secret, which is not shown again. */
export const dismissSecret = (page: Page): Promise<void> =>
  dialogOf(page).getByRole('button', { name: 'I have copied it' }).click();

/** By how many pixels the page scrolls sideways. */
export const overflowWidth = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** By how many pixels the page scrolls down. */
export const overflowHeight = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollHeight - innerHeight');

/** The browser's message on its console when the service refuses a request. */
export const consoleErrorOf = (status: number, words: string): string =>
  `Failed to load resource: the server responded with a status of ${status} (${words})`;

export const waitForCount = (elements: Locator, count: number) =>
  eventually(async () => expect(await elements.count()).to.equal(count));

export const waitForValue = (field: Locator, text: string) =>
  eventually(async () => expect(await field.inputValue()).to.equal(text));

export const waitForTexts = (elements: Locator, texts: string[]) =>
  eventually(async () => expect(await elements.allTextContents()).to.deep.equal(texts));

/** Finds elements of a page by their full visible text; an expression matches a part. */
export function createPageQueries(at: { page: Page }) {
  const byRole = (role: 'button' | 'link' | 'heading') => (name: string | RegExp) =>
    at.page.getByRole(role, { name, exact: true });
  const dialog = () => dialogOf(at.page);
  const fitsWidth = () => eventually(async () => expect(await overflowWidth(at.page)).to.equal(0));
  return {
    button: byRole('button'),
    link: byRole('link'),
    heading: byRole('heading'),
    dialog,
    inDialog: (name: string | RegExp) => dialog().getByRole('button', { name, exact: true }),
    field: (label: string) => dialog().getByLabel(label, { exact: true }),
    box: (name: string | RegExp) => dialog().getByRole('checkbox', { name }),
    entry: (text: string | RegExp) => at.page.getByRole('listitem').filter({ hasText: text }),
    entries: (list: string | RegExp) =>
      at.page.getByRole('list', { name: list, exact: true }).getByRole('listitem'),
    async searchFor(text: string) {
      await at.page.getByRole('searchbox').fill(text);
      await at.page.getByRole('searchbox').press('Enter');
    },
    /** Opens the menu of a server and chooses one of its actions. */
    async choose(action: string, server: string) {
      await at.page.getByRole('button', { name: `More actions for ${server}`, exact: true }).click();
      await at.page.getByRole('button', { name: action, exact: true }).click();
    },
    hasFocus: (element: Locator) => element.and(at.page.locator(':focus')).waitFor(),
    see: (text: string | RegExp) => at.page.getByText(text).filter({ visible: true }).first().waitFor(),
    fitsWidth,
    /** Expects no overflow and no serious axe violation. */
    async isFit() {
      // A dialog has less contrast while it fades in.
      await at.page.emulateMedia({ reducedMotion: 'reduce' });
      await fitsWidth();
      expect(await findAccessibilityViolations(at.page)).to.deep.equal([]);
    },
  };
}

export interface AccountPageFixture extends ReturnType<typeof createPageQueries> {
  service: TestService;
  browser: TestBrowser;
  user: UserRecord;
  visitor: Visitor;
  page: Page;
  /** The expected console messages about refusals; any other message fails the test. */
  expected: string[];
  arrive(path: string): Promise<void>;
  /** Opens a ticket of the user or of another user, about a server or none. */
  openTicket(subject: string, options?: TicketOptions): ReturnType<TestService['models']['tickets']['open']>;
}

interface TicketOptions {
  text?: string;
  user?: UserRecord;
  about?: Partial<Record<'serviceName' | 'serviceReference', string>>;
}

/** A new visitor for each test. Afterwards it expects no console error and no request to another host. */
export function useAccountPage(
  start: () => Promise<TestService> = startTestService,
  path = 'about:blank',
): AccountPageFixture {
  // The hooks set the rest before a test reads it.
  const scene = { browser: useBrowser(), service: useStarted(start) } as AccountPageFixture;
  Object.assign(scene, createPageQueries(scene), {
    async arrive(path: string) {
      await signInWithoutForm(scene.visitor, scene.user);
      await scene.page.goto('about:blank'); // a new fragment alone would not load the page
      await scene.page.goto(path);
    },
    openTicket(
      subject: string,
      { text = 'Players time out.', user = scene.user, about }: TicketOptions = {},
    ) {
      const now = new Date(scene.service.clock.now());
      const unsaid = { serviceName: null, serviceReference: null, serviceType: null };
      const ticket = { userId: user._id, keyId: '', subject, text, now };
      return scene.service.models.tickets.open({ ...ticket, ...unsaid, ...about });
    },
  });
  beforeEach(async () => {
    scene.expected = [];
    scene.user = await scene.service.addUser();
    scene.visitor = await scene.browser.newVisitor(scene.service.url);
    scene.page = await scene.visitor.openTab(path);
  });
  afterEach(async () => {
    await scene.visitor.close();
    expect(scene.visitor.strayRequests, 'requests to other hosts').to.deep.equal([]);
    expect(scene.visitor.complaints, 'complaints of the browser').to.deep.equal(scene.expected);
  });
  return scene;
}

export const creativeUuid = 'b1b2c3d4-259b-452e-8b4e-cecc464142ca';

/** Gives the user of each test two servers, for keys that may be restricted to one. */
export function useKeyOwner(at: AccountPageFixture) {
  beforeEach(async () => {
    at.user = await at.service.addUser({ panelUserId: 7 });
    at.service.panel.servers.set(7, [
      panelServer({ identifier: 'a1b2c3d4', name: 'Survival' }),
      panelServer({ identifier: 'b1b2c3d4', uuid: creativeUuid, name: 'Creative, of a rather long title' }),
    ]);
    at.service.clock.advance(60_000); // past all caches
  });
  return {
    listLive: () => at.service.models.apiKeys.listLive(at.user._id, new Date(at.service.clock.now())),
  };
}

export async function openKeyList({ page, arrive }: AccountPageFixture): Promise<void> {
  await arrive('/account#keys');
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
}

/** The API's answer to a key now. */
export const statusWith = async ({ service }: AccountPageFixture, key: string): Promise<number> =>
  (await service.call('GET', '/me', { key })).status;
