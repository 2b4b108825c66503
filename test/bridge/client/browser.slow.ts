/** The client in a page of another origin, in a real browser. */
import { createServer } from 'node:http';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../support/browser.ts';
import { bundleForBrowser, type importClient } from '../../support/client.ts';
import { startFaultyHost } from '../../support/faulty-host.ts';
import { listenLocally } from '../../support/local-server.ts';
import { useOwner } from '../../support/use-key.ts';
import { useStarted } from '../../support/use-started.ts';

declare const library: Awaited<ReturnType<typeof importClient>>;

describe('in a browser, the client', () => {
  const service = useOwner({ config: { corsOrigins: ['*'] } });
  const browser = useBrowser();
  const redirecting = useStarted(() => startFaultyHost());
  const site = useStarted(() =>
    listenLocally(
      createServer((_, res) => {
        res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A site</title>');
      }),
    ),
  );
  let page: Page;

  before(async () => {
    const visitor = await browser.newVisitor(site.url);
    page = await visitor.openTab('/');
    await page.addScriptTag({ content: await bundleForBrowser() });
  });

  it('writes and reads where the host allows it, and learns the request id of a refusal', async () => {
    const seen = await page.evaluate(
      async ({ url: baseUrl, key }) => {
        const gamehost = new library.Gamehost({ baseUrl, key });
        const { ticket } = await gamehost.tickets.createTicket({ title: 'From a page', message: 'Hello.' });
        const { user } = await gamehost.account.getMyProfile();
        const failure = await gamehost.tickets
          .getTicket({ ticket_id: ticket.id + 1 })
          .catch((error) => error);
        return { email: user.email, code: failure.code, requestId: failure.requestId };
      },
      { url: service.url, key: service.key },
    );
    expect(seen).to.include({ email: service.user.email, code: 'not_found' });
    expect(seen.requestId).to.match(/^[0-9a-f]{32}$/);
  });

  it('follows no redirection, and says so', async () => {
    const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'authorization' };
    redirecting.answerNext(
      { status: 204, headers: cors },
      { status: 302, headers: { ...cors, Location: `${service.url}/api/v1/me` } },
    );
    const failure = await page.evaluate(
      async ({ url: baseUrl, key }) => {
        const gamehost = new library.Gamehost({ baseUrl, key });
        const { status, code, message } = await gamehost.account.getMyProfile().catch((error) => error);
        return { status, code, message };
      },
      { url: redirecting.url, key: service.key },
    );
    expect(failure).to.include({ status: null, code: 'unexpected_response' });
    expect(failure.message).to.contain('redirects to another address, which is not followed');
  });
});
