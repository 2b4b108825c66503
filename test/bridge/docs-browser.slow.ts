/** The docs page in a real browser: reading, searching and finding, with and without its script, and calls with a key. */
import { expect } from 'chai';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { exampleServerId } from '../../routers/schemas/common.ts';
import { consoleErrorOf, overflowWidth } from '../support/account-page.ts';
import { useBrowser, type Visitor } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { appearances, checkAndCapture } from '../support/page-appearances.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { useService } from '../support/service.ts';
import { translate } from '../support/translate.ts';

const path = '/api/v1/docs';
const barHeight = 60;

describe('/api/v1/docs in a browser', () => {
  // Differs from the page's origin, as behind a proxy.
  const service = useService({ config: { publicUrl: 'https://api.example.com' } });
  const browser = useBrowser();
  let visitor: Visitor;

  async function open(hash = '', options: BrowserContextOptions = {}): Promise<Page> {
    visitor = await browser.newVisitor(service.url, options);
    return visitor.openTab(path + hash);
  }
  afterEach(() => {
    expect(visitor.strayRequests, 'requests to other hosts').to.deep.equal([]);
    expect(visitor.complaints, 'complaints of the browser').to.deep.equal([]);
    return visitor.close();
  });

  describe('while a visitor reads', () => {
    for (const javaScriptEnabled of [true, false])
      it(`shows every operation with its fields and samples, ${javaScriptEnabled ? 'with' : 'without'} its script`, async () => {
        const page = await open('', { javaScriptEnabled });
        const summaries = await page.locator('.operation > summary > span:last-child').allTextContents();
        expect(summaries).to.have.members(service.rows.map(({ summary }) => summary));
        const operation = await openOperation(page, 'Open a ticket');
        await operation.getByText('title (string, in the body, required): ').waitFor();
        await operation.getByText("curl -X POST 'https://api.example.com/api/v1/tickets'").waitFor();
        expect(await operation.getByRole('button', { name: 'Execute', exact: true }).isVisible()).to.equal(
          javaScriptEnabled,
        );
      });

    const targets = [
      'errors',
      'webhooks',
      'operations-Tickets-createTicket',
      'operations-Admin-adminPutUser',
    ];
    const readers: Record<string, BrowserContextOptions> = {
      'on a phone': { viewport: { width: 360, height: 800 } },
      'on a desktop': { viewport: { width: 1280, height: 800 } },
      'without its script': { javaScriptEnabled: false },
    };
    for (const [reader, options] of Object.entries(readers))
      it(`opens at the section that a link names, ${reader}`, async () => {
        for (const id of targets) {
          await expectInSight(await open(`#${id}`, options), id);
          await visitor.close();
        }
        const page = await open('', options);
        for (const id of targets) {
          await page.goto(`${path}#${id}`);
          await eventually(() => expectInSight(page, id));
        }
      });

    it('fits every screen width, and breaks code between the parts of a path', async () => {
      const page = await open();
      for (const width of [360, 740, 1000, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await eventually(async () => expect(await overflowWidth(page), `pixels beyond ${width}`).to.equal(0));
      }
      const { text } = await service.call('GET', '/docs');
      expect(text).to.include('{server_identifier}<wbr>/backups');
    });

    for (const width of [360, 1280])
      it(`searches sections and endpoints with the / key and goes to the result, ${width} px wide`, async () => {
        const page = await open('', { viewport: { width, height: 800 } });
        await page.keyboard.press('/');
        await page.keyboard.type('back post');
        const results = page.locator('#search-results a');
        await results.filter({ hasText: /^POST Back up a server/ }).waitFor();
        await page.getByRole('status').filter({ hasText: 'results' }).waitFor({ state: 'attached' });
        await page.keyboard.press('Escape');
        await results.first().waitFor({ state: 'detached' });
        await page.getByRole('searchbox').fill('retry-after rate_limited');
        await page.keyboard.press('ArrowDown');
        await results.first().and(page.locator(':focus')).waitFor();
        await page.keyboard.press('Enter');
        await page.waitForURL(/#(errors|limits)$/);
        await eventually(() => expectInSight(page, new URL(page.url()).hash.slice(1)));
        await page.getByRole('searchbox').waitFor({ state: width === 360 ? 'hidden' : 'visible' });
      });

    it('shows samples in the chosen language, by keyboard too, and copies samples and links', async () => {
      const page = await open('#operations-Tickets-createTicket', {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const samples = page.locator('#operations-Tickets-createTicket .samples');
      await samples.getByRole('radio', { name: 'Python', exact: true }).check();
      await samples.getByText('urllib.request.Request').waitFor();
      await page.keyboard.press('ArrowLeft');
      await samples.getByText('await gamehost.tickets.createTicket(').waitFor();
      expect(await samples.locator('pre:visible').count()).to.equal(1);
      const other = await openOperation(page, 'Get my profile');
      await other.getByText('await gamehost.account.getMyProfile()').waitFor();
      // On a busy machine a first click once copied nothing; the link says so, and its reader clicks again.
      const expectCopied = (button: Locator, text: string) =>
        eventually(async () => {
          await button.click();
          expect(await page.evaluate('navigator.clipboard.readText()')).to.match(new RegExp(`^${text}`));
        });
      await expectCopied(
        samples.getByRole('button', { name: 'Copy', exact: true }),
        'import { Gamehost } from "gamehost";',
      );
      const link = page.getByRole('link', { name: 'Copy link', exact: true }).first();
      await expectCopied(link, `${service.url}${path}#operations-Account-`);
      await expectCopied(
        page.getByRole('link', { name: 'Link to Errors', exact: true }),
        `${service.url}${path}#errors$`,
      );
    });

    it("hides the operators' endpoints until a switch or a link shows them", async () => {
      const page = await open();
      const title = page.locator('#operations-Admin-adminPutUser summary');
      await title.waitFor({ state: 'hidden' });
      const link = page.getByRole('navigation', { name: 'Contents' }).getByText('Create or change a user');
      await link.waitFor({ state: 'hidden' });
      await page.getByRole('checkbox', { name: "the host's staff" }).check();
      await title.waitFor();
      await link.waitFor();
      await page.goto('about:blank');
      await page.goto(`${path}#operations-Admin-adminPutUser`);
      await title.waitFor();
    });
  });

  describe('with a key', () => {
    for (const header of ['Authorization: Bearer', 'X-API-Key'])
      it(`executes a call with ${header} and shows the response without the key`, async () => {
        const { secret, user } = await service.addKey({ scopes: ['read:account'] });
        const page = await open();
        await giveKey(page, secret, header);
        await page.getByText('Key in use: 119 of 120 calls left this minute.').waitFor();
        const operation = await openOperation(page, 'Get my profile');
        const sent = page.waitForRequest(`${service.url}/api/v1/me`);
        await execute(operation);
        expect((await sent).headers()).to.have.property(header.split(':')[0]?.toLowerCase() ?? '');
        await responseOf(operation).getByText(`"${user.email}"`).waitFor();
        await responseOf(operation)
          .getByText(/^X-Request-Id: /m)
          .waitFor();
        await operation.getByText(/^200 OK in \d+ ms: GET \/api\/v1\/me$/).waitFor();
        expect(await page.content()).not.to.include(secret);
        expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).to.equal(
          '[{},{}]',
        );
        expect(await visitor.context.cookies()).to.deep.equal([]);
        await page.reload();
        await page.getByText('No key in use').waitFor();
        expect(await page.getByLabel('API key').inputValue()).to.equal('');
      });

    it("fills in a server of the key's owner, except as the target of a deletion", async () => {
      const { secret } = await service.addKey({
        user: await service.addUser({ panelUserId: 7 }),
        scopes: ['read:account'],
      });
      service.panel.servers.set(7, [panelServer({ identifier: 'c0ffee00' })]);
      const page = await open();
      const field = (operation: Locator) => operation.getByRole('textbox').first();
      const before = await openOperation(page, 'Get a server');
      const edited = await openOperation(page, 'Get the live state of a server');
      await field(edited).fill('mine');
      await giveKey(page, secret);
      await eventually(async () => expect(await field(before).inputValue()).to.equal('c0ffee00'));
      await execute(before);
      await responseOf(before).getByText('"c0ffee00"').waitFor();
      expect(await field(edited).inputValue()).to.equal('mine');
      const deletion = await openOperation(page, 'Delete a backup of a server');
      const last = await openOperation(page, 'List the backups of a server');
      await eventually(async () => expect(await field(last).inputValue()).to.equal('c0ffee00'));
      expect(await field(deletion).inputValue()).to.equal(exampleServerId);
    });

    it('executes a write with the entered body and parameters and no preset Idempotency-Key', async () => {
      const { secret } = await service.addKey({ scopes: ['read:account', 'write:tickets'] });
      const page = await open();
      await giveKey(page, secret);
      const operation = await openOperation(page, 'Open a ticket');
      await operation.getByLabel('Request body').fill('{"title": "From the docs", "message": "Hello."}');
      const sent = page.waitForRequest(`${service.url}/api/v1/tickets`);
      await execute(operation);
      await responseOf(operation).getByText('"From the docs"').waitFor();
      expect((await sent).headers()).not.to.have.property('idempotency-key');
      const list = await openOperation(page, 'List my tickets');
      await list.getByLabel('limit in the query', { exact: true }).fill('1');
      await execute(list);
      await responseOf(list).getByText('"From the docs"').waitFor();
      await list.getByText(/tickets\?limit=1$/).waitFor();
    });

    it('executes calls after the browser has translated the page', async () => {
      const { secret } = await service.addKey({ scopes: ['read:account'] });
      const page = await open();
      await translate(page);
      await page.getByLabel('«API key»').fill(secret);
      await page.getByRole('button', { name: '«Use key»' }).click();
      await page.getByText('«Key in use').waitFor();
      const operation = page.locator('#operations-Account-getMyProfile');
      await operation.locator('summary').click();
      for (const _ of ['once', 'again']) {
        await operation.getByRole('button', { name: '«Execute»' }).click();
        await operation.getByText('«200 OK').waitFor();
      }
    });

    for (const { name, options } of appearances)
      it(`explains why a key is refused, sends no call with it, and stays accessible, ${name}`, async () => {
        const { secret } = await service.addKey();
        const page = await open('', options);
        await giveKey(page, secret);
        await page.getByText('Key in use').waitFor();
        await giveKey(page, `${secret}x`);
        await page.getByText('API key malformed').waitFor();
        const operation = await openOperation(page, 'Open a ticket');
        await execute(operation);
        await responseOf(operation).getByText('API key missing').waitFor();
        await checkAndCapture(page, `docs-refused-${name}`, { checksAccessibility: false });
        await page.keyboard.press('/');
        await page.keyboard.type('backup');
        await checkAndCapture(page, `docs-search-${name}`);
        await page.keyboard.press('Escape');
        await checkAndCapture(page, `docs-whole-${name}`, { isWhole: true, checksAccessibility: false });
        expect(visitor.complaints.splice(0)).to.deep.equal(
          Array(2).fill(consoleErrorOf(401, 'Unauthorized')),
        );
      });
  });
});

const expectInSight = async (page: Page, id: string) =>
  expect(
    await page.locator(`#${id}`).evaluate((element) => element.getBoundingClientRect().top),
    id,
  ).to.be.within(barHeight, barHeight + 40);

async function giveKey(page: Page, secret: string, header = 'Authorization: Bearer'): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(secret);
  await page.getByLabel('Sent as', { exact: true }).selectOption(header);
  await page.getByRole('button', { name: 'Use key', exact: true }).click();
}

async function openOperation(page: Page, summary: string): Promise<Locator> {
  const title = page.locator('summary').filter({ has: page.getByText(summary, { exact: true }) });
  await title.click();
  return page.locator('details').filter({ has: title });
}

const execute = (operation: Locator) =>
  operation.getByRole('button', { name: 'Execute', exact: true }).click();

const responseOf = (operation: Locator) => operation.getByRole('region', { name: 'Response', exact: true });
