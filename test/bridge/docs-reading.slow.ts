/** The docs page as it is read: links that land where they point, search, samples, and what only operators need. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { seriousBarriers, useBrowser, type Visitor } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { useService } from '../support/service.ts';

const path = '/api/v1/docs';
const barHeight = 60;

/** Of what the address points at, from the upper edge of the window. */
const topOf = (page: Page, id: string) =>
  page.locator(`#${id}`).evaluate((element) => element.getBoundingClientRect().top);

const expectInSight = async (page: Page, id: string) =>
  expect(await topOf(page, id), id).to.be.within(barHeight, barHeight + 40);

describe('/api/v1/docs as it is read', () => {
  const service = useService();
  const browser = useBrowser();
  let visitor: Visitor;

  afterEach(() => visitor.close());

  const targets = [
    ...['errors', 'webhooks', 'endpoints', 'operations-Servers-setServerPower'],
    ...['operations-Tickets-createTicket', 'operations-Admin-adminPutUser'],
  ];

  for (const [width, reducedMotion] of [
    [360, 'reduce'],
    [1280, 'no-preference'],
  ] as const)
    it(`lands where a link points, ${width} px wide, with motion: ${reducedMotion}`, async () => {
      const viewport = { width, height: 800 };
      visitor = await browser.newVisitor(service.url, { viewport, reducedMotion });
      for (const id of ['webhooks', 'operations-Servers-setServerPower', 'operations-Admin-adminPutUser']) {
        const page = await visitor.openTab(`${path}#${id}`);
        await page.locator('.opblock').first().waitFor();
        if (id.startsWith('operations-')) await page.locator(`#${id}.is-open`).waitFor();
        await page.waitForLoadState('networkidle');
        await expectInSight(page, id);
        await page.close();
      }
      const page = await visitor.openTab(path);
      await page.locator('.opblock').first().waitFor();
      for (const id of targets) {
        await page.evaluate(`location.hash = '${id}'`);
        await eventually(() => expectInSight(page, id));
      }
      expect(visitor.complaints).to.deep.equal([]);
    });

  it('lands there at once, before any script has run', async () => {
    visitor = await browser.newVisitor(service.url, { javaScriptEnabled: false });
    for (const id of targets) {
      const page = await visitor.openTab(`${path}#${id}`);
      await expectInSight(page, id);
    }
  });

  it('leaves the reader alone who scrolls while the page is still laid out', async () => {
    visitor = await browser.newVisitor(service.url);
    const page = await visitor.openTab(`${path}#operations-Tickets-createTicket`);
    await page.locator('.opblock.is-open').waitFor();
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, -600);
    await eventually(async () =>
      expect(await topOf(page, 'operations-Tickets-createTicket')).to.be.above(400),
    );
    await page.evaluate(`document.body.append(document.createElement('p'))`);
    expect(await topOf(page, 'operations-Tickets-createTicket')).to.be.above(400);
  });

  it('finds sections and endpoints by the key /, and goes there', async () => {
    for (const width of [360, 1280]) {
      visitor = await browser.newVisitor(service.url, { viewport: { width, height: 800 } });
      const page = await visitor.openTab(path);
      await page.locator('.opblock').first().waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('create backup');
      const results = page.locator('#search-results a');
      await eventually(async () => expect(await results.count()).to.be.above(0));
      expect(await page.getByRole('status').filter({ hasText: 'results' }).count()).to.equal(1);
      await page.keyboard.press('Escape');
      expect(await results.count()).to.equal(0);
      await page.getByRole('searchbox').fill('retry-after rate_limited');
      await page.keyboard.press('ArrowDown');
      expect(await results.first().evaluate((link) => link.matches(':focus'))).to.equal(true);
      await page.keyboard.press('Enter');
      await eventually(() => expectInSight(page, new URL(page.url()).hash.slice(1)));
      expect(page.url()).to.match(/#(errors|limits)$/);
      await page.getByRole('searchbox').waitFor({ state: width === 360 ? 'hidden' : 'visible' });
      expect(visitor.complaints).to.deep.equal([]);
      await visitor.close();
    }
  });

  it('shows the samples of an operation in tabs, by mouse and by the arrow keys, and copies them', async () => {
    visitor = await browser.newVisitor(service.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await visitor.openTab(`${path}#operations-Tickets-createTicket`);
    const operation = page.locator('.opblock.is-open');
    const panel = operation.locator('.samples').getByRole('tabpanel');
    await operation.getByRole('tab', { name: 'curl', selected: true }).waitFor();
    expect(await panel.textContent()).to.include(`curl -X POST '${service.url}/api/v1/tickets'`);
    await operation.getByRole('tab', { name: 'Python' }).click();
    await eventually(async () => expect(await panel.textContent()).to.include('urllib.request'));
    await page.keyboard.press('ArrowLeft');
    await operation.getByRole('tab', { name: 'JavaScript', selected: true }).waitFor();
    await panel.getByRole('button', { name: 'Copy' }).click();
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await eventually(async () => expect(await copied()).to.match(/^const response = await fetch/));
    await operation.getByRole('button', { name: 'Copy link' }).click();
    await eventually(async () =>
      expect(await copied()).to.equal(`${service.url}${path}#operations-Tickets-createTicket`),
    );
    await page.getByRole('link', { name: 'Link to Errors' }).click();
    await eventually(async () => expect(await copied()).to.equal(`${service.url}${path}#errors`));
    expect(await seriousBarriers(page)).to.deep.equal([]);
    expect(visitor.complaints).to.deep.equal([]);
  });

  it("hides the operators' endpoints until a switch shows them, or a link points at one", async () => {
    visitor = await browser.newVisitor(service.url);
    const page = await visitor.openTab(path);
    await page.locator('.opblock').first().waitFor();
    const title = page.getByRole('button', { name: / Create or change a user$/ });
    const contents = page.getByRole('navigation', { name: 'Contents' });
    expect(await title.isVisible()).to.equal(false);
    expect(await contents.getByText('Create or change a user').isVisible()).to.equal(false);
    await page.getByRole('checkbox', { name: "the host's staff" }).check();
    await title.waitFor();
    await page.goto('about:blank');
    await page.goto(`${path}#operations-Admin-adminPutUser`);
    await title.waitFor();
    expect(await page.getByRole('checkbox', { name: "the host's staff" }).isChecked()).to.equal(true);
  });

  it('is without barriers in both color schemes while it is searched', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      visitor = await browser.newVisitor(service.url, { colorScheme });
      const page = await visitor.openTab(path);
      await page.locator('.opblock').first().waitFor();
      await page.getByRole('searchbox').fill('backup');
      expect(await seriousBarriers(page), colorScheme).to.deep.equal([]);
      await visitor.close();
    }
  });
});
