/** The docs page in a real browser: calls with a key, no requests to other hosts. */
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import { widthBeyond } from '../support/account-page.ts';
import { useBrowser, type Visitor } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { useService } from '../support/service.ts';
import { translate } from '../support/translate.ts';

const path = '/api/v1/docs';

describe('/api/v1/docs in a browser', () => {
  // Differs from the page's origin, as behind a proxy.
  const service = useService({ config: { publicUrl: 'https://api.example.com' } });
  const browser = useBrowser();
  let visitor: Visitor;
  let page: Page;

  beforeEach(async () => {
    visitor = await browser.newVisitor(service.url);
    visitor.context.setDefaultTimeout(60_000); // Swagger UI is large
    page = await visitor.openTab(path);
    await page.locator('.opblock').first().waitFor();
  });
  afterEach(() => visitor.close());

  it('shows every operation without requests to other hosts or console errors', async () => {
    const shown = await page.locator('.opblock-summary-description').allTextContents();
    expect(shown).to.have.members(service.rows.map(({ openapi }) => openapi.summary));
    expect(visitor.strayRequests).to.deep.equal([]);
    expect(visitor.complaints).to.deep.equal([]);
  });

  for (const header of ['Authorization: Bearer', 'X-API-Key'])
    it(`executes a call with ${header} and shows the response, and the key nowhere`, async () => {
      const { secret, user } = await service.addKey({ scopes: ['read:account'] });
      await giveKey(page, secret, header);
      await page.getByText('Key in use: 119 of 120 calls left this minute.').waitFor();
      const operation = await openOperation(page, 'Get my profile');
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.getByText(`"${user.email}"`).waitFor();
      await eventually(async () =>
        expect(
          await operation.locator('.live-responses-table .response-col_status').last().textContent(),
        ).to.match(/^200/),
      );
      await eventually(async () =>
        expect(await operation.locator('.curl').textContent()).to.include(`${header.split(':')[0]}: `),
      );
      expect(await page.content()).not.to.include(secret);
      expect(visitor.strayRequests).to.deep.equal([]);
      expect(visitor.complaints).to.deep.equal([]);
    });

  it('begins with a server that the owner of the key has, and leaves what is deleted to the caller', async () => {
    const { secret } = await service.addKey({
      user: await service.addUser({ panelUserId: 7 }),
      scopes: ['read:account', 'write:webhooks'],
    });
    service.panel.servers.set(7, [panelServer({ identifier: 'c0ffee00' })]);
    const before = await openOperation(page, 'Get a server');
    await giveKey(page, secret);
    const field = (operation: Locator) => operation.locator('.parameters input').first();
    await eventually(async () => expect(await field(before).inputValue()).to.equal('c0ffee00'));
    await before.getByRole('button', { name: 'Execute' }).click();
    await before.locator('.live-responses-table').getByText('"c0ffee00"').first().waitFor();
    const after = await openOperation(page, 'List the backups of a server');
    await eventually(async () => expect(await field(after).inputValue()).to.equal('c0ffee00'));
    await service.call('POST', '/webhooks', {
      key: secret,
      body: { url: 'http://127.0.0.1:9/', events: ['*'] },
    });
    const deletion = await openOperation(page, 'Delete one of my webhooks');
    await eventually(async () => expect(await field(deletion).inputValue()).to.match(/^whk_/));
    expect(visitor.complaints).to.deep.equal([]);
  });

  it('fits at every width, and its code breaks between the parts of a path', async () => {
    for (const width of [360, 740, 1000, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await eventually(async () => expect(await widthBeyond(page), `pixels beyond ${width}`).to.equal(0));
      const narrowest = await page.evaluate(
        `Math.min(...[...document.querySelector('#scopes ~ table').querySelectorAll('td:nth-child(2)')].map((cell) => cell.clientWidth))`,
      );
      expect(narrowest, `what a scope grants, in a window of ${width}`).to.be.above(180);
    }
    const { text } = await service.call('GET', '/docs');
    expect(text).to.include('{server_identifier}<wbr>/backups');
  });

  it('executes calls when the browser has translated the page', async () => {
    const { secret } = await service.addKey({ scopes: ['read:account'] });
    await translate(page);
    await page.getByLabel('«API key»').fill(secret);
    await page.getByRole('button', { name: '«Use key»' }).click();
    await page.getByText('«Key in use').waitFor();
    const title = page.getByRole('button', { name: /«Get my profile»$/ });
    await title.click();
    const execute = page.getByRole('button', { name: '«Execute»' });
    const answer = page.locator('.live-responses-table .response-col_status').getByText('200').first();
    await execute.click();
    await answer.waitFor();
    await page.getByRole('button', { name: '«Clear»' }).click();
    await answer.waitFor({ state: 'detached' });
    await execute.click();
    await answer.waitFor();
    await title.click();
    await page.locator('.opblock.is-open').waitFor({ state: 'detached' });
    expect(visitor.complaints).to.deep.equal([]);
  });

  it('executes a write with the entered body and no preset Idempotency-Key', async () => {
    const { secret } = await service.addKey({ scopes: ['read:account', 'write:tickets'] });
    await giveKey(page, secret);
    await page.getByText('Key in use').waitFor();
    const operation = await openOperation(page, 'Open a ticket');
    await operation.getByLabel('Request body').fill('{"title": "From the docs", "message": "Hello."}');
    const sent = page.waitForRequest(`${service.url}/api/v1/tickets`);
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table').getByText('"From the docs"').waitFor();
    expect((await sent).headers()).not.to.have.property('idempotency-key');
    const { body } = await service.call('GET', '/tickets', { key: secret });
    expect(body.tickets).to.have.length(1);
    expect(body.tickets[0]).to.include({ subject: 'From the docs' });
  });

  it('shows why a key is refused and sends no key', async () => {
    const { secret } = await service.addKey();
    await giveKey(page, secret);
    await page.getByText('Key in use').waitFor();
    await giveKey(page, `${secret}x`);
    await page.getByText('API key malformed').waitFor();
    const operation = await openOperation(page, 'Get my profile');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table').getByText('API key missing').waitFor();
  });

  it('forgets the key on reload and writes it to no storage or cookie', async () => {
    const { secret } = await service.addKey();
    await giveKey(page, secret);
    await page.getByText('Key in use').waitFor();
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).to.equal(
      '[{},{}]',
    );
    expect(await visitor.context.cookies()).to.deep.equal([]);
    await page.reload();
    await eventually(async () => expect(await page.getByLabel('API key').inputValue()).to.equal(''));
    await page.getByText('No key in use').waitFor();
  });

  it('opens the operation named in the URL hash', async () => {
    await page.getByRole('navigation', { name: 'Contents' }).getByText('Reply to a ticket').click();
    await page.locator('.opblock.is-open').getByText('/reply').first().waitFor();
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
    await page.locator('.opblock.is-open').getByText('/reply').first().waitFor();
  });

  it('shows the guide, the list of endpoints and an error when they cannot be loaded', async () => {
    await page.route('**/openapi.json', (route) => route.abort());
    await page.reload();
    await page.getByText('The endpoints could not be loaded').waitFor();
    await eventually(async () =>
      expect(await page.getByRole('heading', { name: 'Errors' }).isVisible()).to.equal(true),
    );
    expect(await page.locator('.listed-operation').count()).to.equal(service.rows.length);
  });
});

async function giveKey(page: Page, secret: string, header = 'Authorization: Bearer'): Promise<void> {
  await page.getByLabel('API key').fill(secret);
  await page.getByLabel('Sent as').selectOption(header);
  await page.getByRole('button', { name: 'Use key' }).click();
}

async function openOperation(page: Page, summary: string) {
  const title = page.getByRole('button', { name: new RegExp(` ${summary}$`) });
  await title.click();
  return page.locator('.opblock').filter({ has: title });
}
