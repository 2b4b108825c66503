/** The consent question when an app wants to connect, and the effect of each answer, in a real browser. */
import { expect } from 'chai';
import { scopes } from '../../../routers/scopes.ts';
import { consoleErrorOf, openScopes, waitForCount } from '../../support/account-page.ts';
import {
  allowButton,
  connectionsOf,
  denyButton,
  hostedApp,
  presetRadio,
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
    const stops: string[] = [];
    while (stops.length < 5) {
      await at.page.keyboard.press('Tab');
      const text = await at.page.evaluate('document.activeElement.value || document.activeElement.innerText');
      stops.push(String(text).trim());
    }
    const folded = 'Choose single scopes · 4 chosen';
    expect(stops).to.deep.equal(['Use another account', 'As requested', folded, 'Deny', 'Allow']);
    await at.page.keyboard.press('Enter');
    expect((await app.answer(at.page)).has('code')).to.equal(true);
    expect(await grantedScopes()).to.deep.equal([all]);
  });

  it('narrows what the app requests by a preset, and crosses out what it will not be able to do', async () => {
    const app = await at.sendSignedIn();
    const crossedOut = at.page.locator('s');
    await presetRadio(at.page, 'Bot that restarts').check();
    await areTicked(['read:account', 'write:servers']);
    await presetRadio(at.page, 'Read only').check();
    await areTicked(['read:catalog', 'read:account']);
    await crossedOut.filter({ hasText: 'Not allowed: Start, stop and restart your servers.' }).waitFor();
    await waitForCount(crossedOut, 2);
    await presetRadio(at.page, 'As requested').check();
    await areTicked(all);
    await waitForCount(crossedOut, 0);
    await presetRadio(at.page, 'Read only').check();
    await allowButton(at.page).click();
    await app.answer(at.page);
    expect(await grantedScopes()).to.deep.equal([['read:catalog', 'read:account']]);
  });

  for (const [scope, offered] of [
    ['read:account', ['As requested', 'Custom']],
    ['read:files write:files', ['As requested', 'Custom']],
    ['read:files read:console write:tickets', ['As requested', 'Read only', 'Custom']],
    [all.join(' '), ['As requested', 'Read only', 'Bot that restarts', 'Custom']],
  ] as const)
    it(`offers only presets within ${scope}, if the app requests that`, async () => {
      await at.sendSignedIn({ scope });
      const names = await at.page
        .getByRole('radio')
        .evaluateAll((radios) => radios.map((each) => each.value));
      expect(names).to.deep.equal(offered);
    });

  it('keeps the preset and the single scopes consistent', async () => {
    await at.sendSignedIn();
    await openScopes(at.page);
    await scopeBox(at.page, 'write:tickets').uncheck();
    await presetRadio(at.page, 'Custom').and(at.page.locator(':checked')).waitFor();
    await at.see('· 3 chosen');
    await scopeBox(at.page, 'read:catalog').uncheck();
    await presetRadio(at.page, 'Bot that restarts').and(at.page.locator(':checked')).waitFor();
  });

  it('grants the ticked scopes, including those that the app did not request, and requires at least one', async () => {
    const app = await at.sendSignedIn({ scope: 'read:account write:tickets' });
    await areTicked(['read:account', 'write:tickets']);
    await openScopes(at.page);
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

  for (const [width, height] of [
    [1280, 720],
    [360, 640],
  ] as const)
    it(`shows Allow and Deny without scrolling on ${width} x ${height} pixels, whatever the app requests`, async () => {
      await at.page.setViewportSize({ width, height });
      await at.sendSignedIn({ ...hostedApp, scope: scopes.join(' ') });
      const areInView = async () => {
        for (const button of [allowButton(at.page), denyButton(at.page)]) {
          const box = await button.boundingBox();
          expect(box && box.y > 0 && box.y + box.height <= height).to.equal(true);
        }
        await allowButton(at.page).click({ trial: true, timeout: 1000 });
      };
      await areInView();
      await openScopes(at.page);
      await scopeBox(at.page, 'write:webhooks').focus();
      await areInView();
      await at.isFit();
    });
});
