/** npm run screenshots: the docs page, with a key and executed calls, for visual review. */
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../support/browser.ts';
import { looks, photograph } from '../support/camera.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('screenshots of the docs page', () => {
  let service: TestService;
  let browser: TestBrowser;

  before(async () => {
    service = await startTestService();
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  for (const look of looks)
    it(`in ${look.name}`, async () => {
      const visitor = await browser.newVisitor(service.url, look.options);
      visitor.context.setDefaultTimeout(60_000); // Swagger UI is large
      const page = await visitor.openTab('/api/v1/docs');
      await page.locator('.opblock').first().waitFor();
      const shoot = (name: string, isWhole = false) =>
        photograph(page, `docs-${name}-${look.name}`, { isWhole, isJudged: false });
      await shoot('01-top');
      await shoot('02-whole', true);
      await giveKey(page, (await service.addKey()).secret, shoot);
      await tryCalls(page, shoot);
      await visitor.close();
    });
});

type Shoot = (name: string, isWhole?: boolean) => Promise<void>;

async function giveKey(page: Page, secret: string, shoot: Shoot) {
  await page.getByLabel('API key').fill(`${secret}x`);
  await page.getByRole('button', { name: 'Use key' }).click();
  await page.getByText('API key malformed').scrollIntoViewIfNeeded();
  await shoot('03-key-refused');
  await page.getByLabel('API key').fill(secret);
  await page.getByRole('button', { name: 'Use key' }).click();
  await page.getByText('Key in use').scrollIntoViewIfNeeded();
  await shoot('04-key');
}

async function tryCalls(page: Page, shoot: Shoot) {
  for (const [number, summary] of [
    ['05', 'Get my profile'],
    ['06', 'Open a ticket'],
  ] as const) {
    const opener = page.getByRole('button', { name: new RegExp(` ${summary}$`) });
    const operation = page.locator('.opblock').filter({ has: opener });
    await opener.click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table .response-col_status').last().waitFor();
    await operation.scrollIntoViewIfNeeded();
    const name = summary.toLowerCase().replaceAll(' ', '-');
    await shoot(`${number}-${name}`);
    await operation.locator('.live-responses-table').scrollIntoViewIfNeeded();
    await shoot(`${number}-${name}-answer`);
  }
}
