/** Attacks by hostile apps and pages on the consent question, in a real browser. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { openScopes, waitForCount } from '../../support/account-page.ts';
import {
  connectionsOf,
  denyButton,
  scopeBox,
  shownText,
  useConnectPage,
} from '../../support/connect-page.ts';
import { eventually } from '../../support/eventually.ts';

describe('the consent question about a hostile app', () => {
  const at = useConnectPage();

  const shown: Record<string, [name: string, shown: string]> = {
    'markup as text': Array(2).fill('<img src=x onerror=alert(1)><b>Claude</b>&amp;') as [string, string],
    'no characters that reorder, break or hide text': [
      '\u202eedualC\u2066\n\n\u200bCode\u0000\u2028\u00ad!',
      'edualC Code !',
    ],
    '"Unnamed app" where a name shows nothing': ['\u3164\u115f\u2800\ufe0f \u00a0', 'Unnamed app'],
  };
  for (const [what, [name, expected]] of Object.entries(shown))
    it(`shows ${what} in its name`, async () => {
      await at.sendSignedIn({ name });
      expect(await at.page.getByRole('heading', { level: 2 }).textContent()).to.equal(expected);
    });

  it('isolates a right-to-left name so that it does not reorder the words around it', async () => {
    await at.sendSignedIn({ name: 'קלוד (claude.ai)' });
    expect(await shownText(at.page)).to.include(`wants to use your gamehost account as ${at.user.email}.`);
    await waitForCount(at.page.locator('h2 bdi'), 1);
  });

  it('keeps a long name of stacked marks inside its box', async () => {
    await at.sendSignedIn({ name: `Z${'\u0353\u0301'.repeat(49)}` });
    const box = await at.page.locator('.app-identity').boundingBox();
    const words = await at.page.getByText('wants to use your gamehost account').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).to.be.at.most(words?.y ?? 0);
    const overflow = "getComputedStyle(document.querySelector('h2')).overflow";
    await eventually(async () => expect(await at.page.evaluate(overflow)).to.equal('hidden'));
  });

  it('marks a name that contains a host as unverified, and spells out a lookalike host', async () => {
    const redirectUri = 'https://cl\u0430ude.ai/callback';
    await at.sendSignedIn({ name: 'Claude (claude.ai), verified', redirectUri });
    const text = await shownText(at.page);
    expect(new URL(redirectUri).host).to.match(/^xn--/);
    expect(text).to.include('calls itself Claude (claude.ai), verified Unverified name wants to use');
    expect(text).to.include(`It returns to ${new URL(redirectUri).host}.`);
  });

  it('shows the end of a long host, which identifies its owner', async () => {
    const host = `${'claude.ai.'.repeat(20)}evil.example`;
    await at.sendSignedIn({ redirectUri: `https://${host}/callback` });
    await at.page.setViewportSize({ width: 360, height: 780 });
    expect(await shownText(at.page)).to.include(`It returns to ${host}.`);
    const width = 'document.documentElement.scrollWidth';
    await eventually(async () => expect(await at.page.evaluate(width)).to.equal(360));
  });

  it('needs its buttons for an answer: Enter in a checkbox allows nothing', async () => {
    await at.sendSignedIn();
    await openScopes(at.page);
    await scopeBox(at.page, 'write:servers').focus();
    await at.page.keyboard.press('Enter');
    await denyButton(at.page).focus();
    expect(await connectionsOf(at)).to.deep.equal([]);
  });

  it('refuses to appear in a frame of another origin on this device, whose requests carry the cookies', async () => {
    await at.sendSignedIn();
    const html = `<iframe src="${at.page.url()}"></iframe>`;
    const server = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end(html));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const page = await at.visitor.openTab(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.frames()[1]?.waitForURL('chrome-error://**');
    await eventually(async () => expect(at.visitor.complaints.join()).to.include("frame-ancestors 'none'"));
    at.expected = at.visitor.complaints;
    server.close();
  });
});
