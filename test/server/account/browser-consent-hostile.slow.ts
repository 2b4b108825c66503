/** What hostile apps and pages try against the question that a user is asked, in a real browser. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  connectionsOf,
  denyButton,
  scopeBox,
  shownText,
  stageConnectPage,
} from '../../support/connect-page.ts';
import { eventually } from '../../support/eventually.ts';

/** Where the box with the app's own words ends, and the service's words begin. */
const boxOf = (page: Page) => page.locator('.app-identity').boundingBox();

describe('the question about a hostile app', () => {
  const at = stageConnectPage();

  const nameShown = () => at.page.getByRole('heading', { level: 2 }).textContent();

  it('shows markup in its name as text', async () => {
    const name = '<img src=x onerror=alert(1)><b>Claude</b>&amp;';
    await at.sendSignedIn({ name });
    expect(await nameShown()).to.equal(name);
  });

  it('shows its name without characters that reorder, break or hide text', async () => {
    await at.sendSignedIn({ name: '\u202eedualC\u2066\n\n\u200bCode\u0000\u2028\u00ad!' });
    expect(await nameShown()).to.equal('edualC Code !');
  });

  it('keeps a name of the other writing direction from reordering the words around it', async () => {
    await at.sendSignedIn({ name: 'קלוד (claude.ai)' });
    expect(await shownText(at.page)).to.include(`wants to use your gamehost account as ${at.user.email}.`);
    await eventually(async () => expect(await at.page.locator('h2 bdi').count()).to.equal(1));
  });

  it('calls an app unnamed whose name shows nothing', async () => {
    await at.sendSignedIn({ name: '\u3164\u115f\u2800\ufe0f \u00a0' });
    expect(await nameShown()).to.equal('Unnamed app');
  });

  it('keeps a long name of stacked marks in its box, away from its own words', async () => {
    await at.sendSignedIn({ name: `Z${'\u0353\u0301'.repeat(49)}` });
    const box = await boxOf(at.page);
    const words = await at.page.getByText('wants to use your gamehost account').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).to.be.at.most(words?.y ?? 0);
    await eventually(async () =>
      expect(await at.page.evaluate("getComputedStyle(document.querySelector('h2')).overflow")).to.equal(
        'hidden',
      ),
    );
  });

  it('says that a name is unverified which names a host, and shows a lookalike host as it is spelled', async () => {
    const redirectUri = 'https://cl\u0430ude.ai/callback';
    await at.sendSignedIn({ name: 'Claude (claude.ai), verified', redirectUri });
    const text = await shownText(at.page);
    expect(new URL(redirectUri).host).to.match(/^xn--/);
    expect(text).to.include('calls itself Claude (claude.ai), verified Unverified name wants to use');
    expect(text).to.include(`It returns to ${new URL(redirectUri).host}.`);
  });

  it('shows a long host to its end, which tells whose it is', async () => {
    const host = `${'claude.ai.'.repeat(20)}evil.example`;
    await at.sendSignedIn({ redirectUri: `https://${host}/callback` });
    await at.page.setViewportSize({ width: 360, height: 780 });
    expect(await shownText(at.page)).to.include(`It returns to ${host}.`);
    await eventually(async () =>
      expect(await at.page.evaluate('document.documentElement.scrollWidth')).to.equal(360),
    );
  });

  it('is answered by its buttons alone: Enter in a checkbox allows nothing', async () => {
    await at.sendSignedIn();
    await scopeBox(at.page, 'write:servers').focus();
    await at.page.keyboard.press('Enter');
    await denyButton(at.page).focus();
    expect(await connectionsOf(at)).to.deep.equal([]);
  });

  describe('and a page of another origin on this device, whose requests carry the cookies', () => {
    let server: Server;
    let html: string;

    before(async () => {
      server = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end(html));
      await once(server.listen(0, '127.0.0.1'), 'listening');
    });
    after(() => server.close());

    const openForeign = () =>
      at.visitor.openTab(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

    it('is shown in no frame', async () => {
      await at.sendSignedIn();
      html = `<iframe src="${at.page.url()}"></iframe>`;
      const page = await openForeign();
      await page.frames()[1]?.waitForURL('chrome-error://**');
      await eventually(async () => expect(at.visitor.complaints.join()).to.include("frame-ancestors 'none'"));
      at.expected = at.visitor.complaints;
    });
  });
});
