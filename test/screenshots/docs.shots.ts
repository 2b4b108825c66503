/** npm run screenshots: the docs page, with a key and executed calls, for visual review. */
import type { Page } from 'playwright-core';
import { describeLooks, type Shoot } from '../support/camera.ts';

describeLooks({
  name: 'docs',
  shows: 'the docs page, with a key and executed calls,',
  async visit({ service, open }) {
    const { page, shoot } = await open('/api/v1/docs');
    await page.locator('.opblock').first().waitFor();
    const shootUnjudged: Shoot = (name, framing) => shoot(name, { ...framing, isJudged: false });
    await shootUnjudged('01-top');
    await shootUnjudged('02-whole', { isWhole: true });
    await giveKey(page, (await service.addKey()).secret, shootUnjudged);
    await tryCalls(page, shootUnjudged);
    await shoot('07-all-of-it');
  },
});

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
