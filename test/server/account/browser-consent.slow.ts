/** The consent question when an app wants to connect, and the effect of each answer, in a real browser. */
import { expect } from 'chai';
import { consoleErrorOf, waitForCount } from '../../support/account-page.ts';
import {
  allowButton,
  connectionsOf,
  denyButton,
  hostedApp,
  readOnlyButton,
  scopeBox,
  shownText,
  ticked,
  useConnectPage,
} from '../../support/connect-page.ts';
import { eventually } from '../../support/eventually.ts';

const all = ['read:catalog', 'read:account', 'write:tickets', 'write:servers'];
const closed = 'This request is closed';

describe('the consent question', () => {
  const at = useConnectPage();

  const grantedScopes = async () => (await connectionsOf(at)).map(({ scopes }) => scopes);
  const areTicked = (scopes: string[]) =>
    eventually(async () => expect(await ticked(at.page)).to.deep.equal(scopes));
  const focused = (text: string) => at.page.locator(':focus', { hasText: text }).waitFor();

  it('names the app, the host that vouches for it, the account and where the answer goes', async () => {
    await at.sendSignedIn(hostedApp);
    const text = await shownText(at.page);
    expect(text).to.include(
      `Hosted agent Verified: app.example wants to use your gamehost account as ${at.user.email}. ` +
        'It returns to 127.0.0.1, on this device.',
    );
    expect(text).not.to.include('Unverified');
    await eventually(async () => expect(await at.page.title()).to.equal('Connect an app · gamehost'));
  });

  it('lists each requested scope as a ticked sentence, and Allow grants it', async () => {
    const app = await at.sendSignedIn();
    await areTicked(all);
    await at.see('Start, stop and restart your servers.');
    await allowButton(at.page).click();
    expect([...(await app.answer(at.page)).keys()].sort()).to.deep.equal(['code', 'iss', 'state']);
    expect(await grantedScopes()).to.deep.equal([all]);
  });

  it('can be answered by keyboard alone, from the sign-in to Allow', async () => {
    const app = await at.send();
    await at.page.locator('input[name=email]:focus').waitFor();
    await at.page.keyboard.type(at.user.email);
    await at.page.keyboard.press('Tab');
    await at.page.keyboard.type('correct horse');
    await at.page.keyboard.press('Enter');
    await allowButton(at.page).waitFor();
    await focused('Connect an app');
    const others = (await at.page.getByRole('checkbox', { checked: false }).all()).length;
    const stops: string[] = [];
    while (stops.length < 8 + others) {
      await at.page.keyboard.press('Tab');
      const text = await at.page.evaluate('document.activeElement.value || document.activeElement.innerText');
      stops.push(String(text).trim());
    }
    expect(stops.slice(0, 6)).to.deep.equal(['Use another account', 'Read only', ...all]);
    expect(stops.slice(-2)).to.deep.equal(['Deny', 'Allow']);
    await at.page.keyboard.press('Enter');
    expect((await app.answer(at.page)).has('code')).to.equal(true);
    expect(await grantedScopes()).to.deep.equal([all]);
  });

  it('unticks all but the reading scopes with one button, which also brings the others back', async () => {
    const app = await at.sendSignedIn();
    await readOnlyButton(at.page).click();
    await areTicked(['read:catalog', 'read:account']);
    await at.page.getByRole('button', { name: 'Read only', pressed: true }).click();
    await areTicked(all);
    await readOnlyButton(at.page).click();
    await allowButton(at.page).click();
    await app.answer(at.page);
    expect(await grantedScopes()).to.deep.equal([['read:catalog', 'read:account']]);
  });

  it('offers no such button if the app requests only reading scopes', async () => {
    await at.sendSignedIn({ scope: 'read:account' });
    await waitForCount(readOnlyButton(at.page), 0);
  });

  it('grants the ticked scopes, including those that the app did not request, and requires at least one', async () => {
    const app = await at.sendSignedIn({ scope: 'read:account write:tickets' });
    await areTicked(['read:account', 'write:tickets']);
    await scopeBox(at.page, 'read:account').uncheck();
    await scopeBox(at.page, 'write:tickets').uncheck();
    await allowButton(at.page).click();
    await at.see('Tick at least one, or deny.');
    expect(await grantedScopes()).to.deep.equal([]);
    await scopeBox(at.page, 'write:tickets').check();
    await scopeBox(at.page, 'read:files').check();
    await allowButton(at.page).click();
    await app.answer(at.page);
    expect(await grantedScopes()).to.deep.equal([['write:tickets', 'read:files']]);
  });

  it('reports a denial to the app, and connects nothing', async () => {
    const app = await at.sendSignedIn();
    await denyButton(at.page).click();
    expect((await app.answer(at.page)).get('error')).to.equal('access_denied');
    expect(await grantedScopes()).to.deep.equal([]);
  });

  for (const [choose, outcome] of [
    [allowButton, 'Access allowed'],
    [denyButton, 'Access denied'],
  ] as const)
    it(`shows ${outcome} with the focus if the browser cannot open the app`, async () => {
      await at.sendSignedIn({ redirectUri: 'com.example.testagent://callback' });
      await at.see('It returns to com.example.testagent:, on this device.');
      await choose(at.page).click();
      await focused(outcome);
      at.expected = at.visitor.complaints.filter((line) => line.includes('com.example.testagent:'));
    });

  it('is closed once answered, in another tab and on Back too', async () => {
    at.expected = [consoleErrorOf(404, 'Not Found'), consoleErrorOf(404, 'Not Found')];
    const app = await at.sendSignedIn();
    const question = at.page.url();
    const other = await at.visitor.openTab(question);
    await allowButton(other).waitFor();
    await allowButton(at.page).click();
    await app.answer(at.page);
    await denyButton(other).click();
    await other.getByRole('heading', { name: closed }).waitFor();
    await at.page.goto(question);
    await at.heading(closed).waitFor();
    await at.link('Your connected apps').click();
    await at.heading('Connected apps').waitFor();
    expect(await grantedScopes()).to.deep.equal([all]);
  });

  it('appears again if the service did not answer', async () => {
    at.expected = ['Failed to load resource: net::ERR_FAILED'];
    const app = await at.sendSignedIn();
    await at.page.route('**/apps.allow*', (route) => route.abort(), { times: 1 });
    await allowButton(at.page).click();
    await at.page.getByRole('alert').getByText('The service did not answer.').waitFor();
    await allowButton(at.page).click();
    await app.answer(at.page);
  });

  for (const width of [360, 1280])
    it(`shows "Read only" next to or below what it changes, never over it, ${width} pixels wide`, async () => {
      await at.page.setViewportSize({ width, height: 780 });
      await at.sendSignedIn();
      const isOver = await at.page.evaluate(`(() => {
        const words = new Range();
        words.selectNodeContents(document.querySelector('legend'));
        const [one, other] = [words, document.querySelector('.preset')].map((box) => box.getBoundingClientRect());
        return one.right > other.left && one.left < other.right && one.bottom > other.top && one.top < other.bottom;
      })()`);
      expect(isOver).to.equal(false);
    });
});
