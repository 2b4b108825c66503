/** What a user is asked when an app wants to connect, and what comes of each answer, in a real browser. */
import { expect } from 'chai';
import { refusal } from '../../support/account-page.ts';
import {
  allowButton,
  connectionsOf,
  denyButton,
  hostedApp,
  readOnlyButton,
  scopeBox,
  shownText,
  stageConnectPage,
  ticked,
} from '../../support/connect-page.ts';
import { eventually } from '../../support/eventually.ts';

const all = ['read:catalog', 'read:account', 'write:tickets', 'write:servers'];
const closed = 'This request is closed';

describe('the question whether an app may use the account', () => {
  const at = stageConnectPage();

  const grantedScopes = async () => (await connectionsOf(at)).map(({ scopes }) => scopes);

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

  it('lists what the app asks for, a sentence each, all ticked; Allow grants it', async () => {
    const app = await at.sendSignedIn();
    await eventually(async () => expect(await ticked(at.page)).to.deep.equal(all));
    await at.page.getByText('Start, stop and restart your servers.').waitFor();
    await allowButton(at.page).click();
    expect([...(await app.answer(at.page)).keys()].sort()).to.deep.equal(['code', 'iss', 'state']);
    expect(await grantedScopes()).to.deep.equal([all]);
  });

  it('leaves only the reading scopes ticked by one button, which also brings the others back', async () => {
    const app = await at.sendSignedIn();
    await readOnlyButton(at.page).click();
    await eventually(async () =>
      expect(await ticked(at.page)).to.deep.equal(['read:catalog', 'read:account']),
    );
    await eventually(async () =>
      expect(await readOnlyButton(at.page).getAttribute('aria-pressed')).to.equal('true'),
    );
    await readOnlyButton(at.page).click();
    await eventually(async () => expect(await ticked(at.page)).to.deep.equal(all));
    await readOnlyButton(at.page).click();
    await allowButton(at.page).click();
    await app.answer(at.page);
    expect(await grantedScopes()).to.deep.equal([['read:catalog', 'read:account']]);
  });

  it('offers no such button to an app that asks for reading alone', async () => {
    await at.sendSignedIn({ scope: 'read:account' });
    await eventually(async () => expect(await readOnlyButton(at.page).count()).to.equal(0));
  });

  it('grants what is ticked, and asks for at least one', async () => {
    const app = await at.sendSignedIn({ scope: 'read:account write:tickets' });
    await scopeBox(at.page, 'read:account').uncheck();
    await scopeBox(at.page, 'write:tickets').uncheck();
    await allowButton(at.page).click();
    await at.page.getByText('Tick at least one, or deny.').waitFor();
    expect(await grantedScopes()).to.deep.equal([]);
    await scopeBox(at.page, 'write:tickets').check();
    await allowButton(at.page).click();
    await app.answer(at.page);
    expect(await grantedScopes()).to.deep.equal([['write:tickets']]);
  });

  it('offers what the app does not ask for unticked, and grants it with the rest once it is ticked', async () => {
    const app = await at.sendSignedIn({ scope: 'read:account write:tickets' });
    await eventually(async () =>
      expect(await ticked(at.page)).to.deep.equal(['read:account', 'write:tickets']),
    );
    await scopeBox(at.page, 'read:files').check();
    await allowButton(at.page).click();
    await app.answer(at.page);
    expect(await grantedScopes()).to.deep.equal([['read:account', 'write:tickets', 'read:files']]);
  });

  it('tells the app that it was denied, and connects nothing', async () => {
    const app = await at.sendSignedIn();
    await denyButton(at.page).click();
    expect((await app.answer(at.page)).get('error')).to.equal('access_denied');
    expect(await grantedScopes()).to.deep.equal([]);
  });

  it('tells the user to go back to an app that the browser cannot show', async () => {
    await at.sendSignedIn({ redirectUri: 'com.example.testagent://callback' });
    await at.page.getByText('It returns to com.example.testagent:, on this device.').waitFor();
    await allowButton(at.page).click();
    await at.page.getByRole('heading', { name: 'Access allowed' }).waitFor();
    await at.page.getByText('Go back to the app').waitFor();
    at.expected = at.visitor.complaints.filter((line) => line.includes('com.example.testagent:'));
  });

  it('is closed once answered: another tab and the way back say so', async () => {
    at.expected = [refusal(404, 'Not Found'), refusal(404, 'Not Found')];
    const app = await at.sendSignedIn();
    const question = at.page.url();
    const other = await at.visitor.openTab(question);
    await allowButton(other).waitFor();
    await allowButton(at.page).click();
    await app.answer(at.page);
    await denyButton(other).click();
    await other.getByRole('heading', { name: closed }).waitFor();
    await at.page.goto(question);
    await at.page.getByRole('heading', { name: closed }).waitFor();
    await at.page.getByRole('link', { name: 'Your connected apps' }).click();
    await at.page.getByRole('heading', { name: 'Connected apps', level: 1 }).waitFor();
    expect(await grantedScopes()).to.deep.equal([all]);
  });

  it('is put again when the service did not answer', async () => {
    at.expected = ['Failed to load resource: net::ERR_FAILED'];
    const app = await at.sendSignedIn();
    await at.page.route('**/apps.allow*', (route) => route.abort());
    await allowButton(at.page).click();
    await at.page.getByRole('alert').getByText('The service did not answer.').waitFor();
    await at.page.unroute('**/apps.allow*');
    await allowButton(at.page).click();
    await app.answer(at.page);
  });

  for (const width of [360, 1280])
    it(`shows "Read only" beside or below what it changes, never over it, ${width} pixels wide`, async () => {
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
