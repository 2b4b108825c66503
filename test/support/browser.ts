/**
 * A real Chromium, from the project's packages or CHROMIUM_PATH, and visitors who record what pages do.
 *
 *     const browser = useBrowser();                                 // all files of a worker share one
 *     const visitor = await browser.newVisitor(service.url);        // a browser context with its own cookies
 *     const page = await visitor.openTab('/account');               // a Playwright page
 *     visitor.complaints                                            // console errors, uncaught errors, blocked loads
 *     visitor.strayRequests                                         // requests to other hosts
 *     await findAccessibilityViolations(page)                                   // what axe finds serious
 */
import sparticuz from '@sparticuz/chromium';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { lazy } from '../../routers/support/memoize.ts';
import { onceARun } from './run-folder.ts';
import { useStarted } from './use-started.ts';

/** Less than a test's timeout, so that mocha reports the page's failure. */
const timeoutMs = 30_000;

export type TestBrowser = Awaited<ReturnType<typeof openBrowser>>;
export type Visitor = Awaited<ReturnType<typeof newVisitor>>;

/** One for all files of a worker; it ends with its process. */
const launch = lazy(async () => {
  // The package unpacks into the system's temporary folder, and would start a half-written file.
  if (!process.env['CHROMIUM_PATH']) await onceARun('chromium', () => sparticuz.executablePath());
  return chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? (await sparticuz.executablePath()),
    headless: true,
    // The package's own flags would turn off web security, which these tests check.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'],
  });
});

async function openBrowser() {
  const browser = await launch();
  const visitors: Visitor[] = [];
  return {
    async newVisitor(origin: string, options: BrowserContextOptions = {}) {
      const visitor = await newVisitor(browser, origin, options);
      visitors.push(visitor);
      return visitor;
    },
    /** Closes all windows; the browser itself stays for the next file. */
    stop: () => Promise.all(visitors.map((visitor) => visitor.close())),
  };
}

export const useBrowser = () => useStarted(openBrowser);

async function newVisitor(browser: Browser, origin: string, options: BrowserContextOptions) {
  const context = await browser.newContext({ baseURL: origin, ...options });
  context.setDefaultTimeout(timeoutMs);
  const complaints: string[] = [];
  const strayRequests: string[] = [];
  context.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol.startsWith('http') && asked !== origin) strayRequests.push(request.url());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  return {
    context,
    complaints,
    strayRequests,
    async openTab(path: string): Promise<Page> {
      const page = await context.newPage();
      await page.goto(path);
      return page;
    },
    close: () => context.close(),
  };
}

/** The serious and critical violations that axe-core finds on a page, a line each: the rule and the place. */
export async function findAccessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
    );
}
