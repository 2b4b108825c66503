/** The connected apps on the account page in a real browser, and the effect of a revocation in the API. */
import { expect } from 'chai';
import {
  consoleErrorOf,
  openKeyList,
  statusWith,
  useAccountPage,
  waitForCount,
} from '../../support/account-page.ts';
import { hostedApp, useConnectPage } from '../../support/connect-page.ts';
import { eventually } from '../../support/eventually.ts';
import { connectApp } from '../../support/oauth-app.ts';

describe('connected apps on the account page', () => {
  const at = useConnectPage();

  const connect = (scopes: string[], clientId?: string) =>
    connectApp(at.service, {
      email: at.user.email,
      ...{ scopes, params: { scope: 'read:catalog read:account write:tickets' } },
      ...(clientId !== undefined && { clientId }),
    });
  const entries = () => at.page.getByRole('list', { name: 'Connected apps' });
  const connections = (name: string) =>
    entries()
      .getByRole('listitem')
      .filter({ has: at.heading(name) })
      .getByRole('list', { name: 'Connections' })
      .locator('> li');

  it('start with none: the page says how to connect one and which address to enter', async () => {
    await at.arrive('/account#apps');
    await at.see('Give your agent this address as an MCP server');
    await at.page.getByText(`${at.service.url}/mcp`, { exact: true }).waitFor();
    await at.button('Copy address').waitFor();
    await at.page.getByText(`gamehost login --url ${at.service.url}`, { exact: true }).waitFor();
  });

  it('are listed by app, one line per connection, with scopes, start and last use', async () => {
    const { clientId, tokens } = await connect(['read:account']);
    await statusWith(at, tokens.access_token);
    await connect(['read:catalog', 'write:tickets'], clientId);
    await connect(['read:account'], hostedApp.clientId);
    await at.arrive('/account#apps');
    await waitForCount(connections('Hosted agent'), 1);
    await waitForCount(connections('Test agent'), 2);
    await entries().getByText('Verified: app.example').waitFor();
    await entries().getByText('Unverified name').waitFor();
    const texts = await connections('Test agent').allTextContents();
    const since = '\\d+ \\w+ \\d{4}';
    expect(texts[0]).to.match(new RegExp(`^read:catalogwrite:ticketsConnected ${since}Never used`));
    expect(texts[1]).to.match(new RegExp(`^read:accountConnected ${since}Last used just now`));
    await at.see(`give it the address ${at.service.url}/mcp`);
  });

  it('are revoked one connection at a time after confirmation, even by keyboard, and their next call is refused', async () => {
    const first = await connect(['read:account']);
    const second = await connect(['read:account'], first.clientId);
    await at.arrive('/account#apps');
    const revokeNewest = at.button(/^Revoke Test agent/).first();
    await revokeNewest.press('Enter');
    await at.dialog().getByText('Test agent').waitFor();
    await at.page.keyboard.press('Escape');
    await at.hasFocus(revokeNewest);
    expect(await statusWith(at, second.tokens.access_token)).to.equal(200);
    await revokeNewest.press('Enter');
    await at.inDialog('Revoke').press('Enter');
    await at.page.getByRole('status').getByText('Connection revoked.').waitFor();
    await waitForCount(connections('Test agent'), 1);
    expect(await statusWith(at, second.tokens.access_token)).to.equal(401);
    expect(await statusWith(at, first.tokens.access_token)).to.equal(200);
    await at.hasFocus(at.heading('Connected apps'));
  });

  it("gain and lose permissions by the user's choice, with effect on their next call", async () => {
    const { tokens } = await connect(['read:account']);
    const change = async (scope: string, isTicked: boolean) => {
      await at.button(/^Rights Test agent/).click();
      await at.box(scope).setChecked(isTicked);
      await at.inDialog('Save').click();
    };
    const key = tokens.access_token;
    const listed = async () => (await at.service.call('GET', '/announcements', { key })).status;
    await at.arrive('/account#apps');
    expect([await listed(), await statusWith(at, key)]).to.deep.equal([403, 200]);
    await change('read:catalog', true);
    await eventually(async () => expect(await listed()).to.equal(200));
    await connections('Test agent').first().getByText('read:catalog').waitFor();
    await change('read:account', false);
    await eventually(async () => expect(await statusWith(at, key)).to.equal(403));
    await change('read:catalog', false);
    await at.see('Tick at least one, or revoke the connection.');
  });

  it('say which preset they have, and change to another with one choice', async () => {
    const { tokens } = await connect(['read:account']);
    await at.arrive('/account#apps');
    await at.button(/^Rights Test agent/).click();
    const preset = (name: string) => at.dialog().getByRole('radio', { name });
    expect(await preset('Custom').isChecked()).to.equal(true);
    await preset('Bot that restarts').check();
    await at.inDialog('Save').click();
    await connections('Test agent').first().getByText('write:servers').waitFor();
    const { key } = (await at.service.call('GET', '/key', { key: tokens.access_token })).body;
    expect(key.scopes).to.deep.equal(['read:account', 'write:servers']);
    await at.button(/^Rights Test agent/).click();
    expect(await preset('Bot that restarts').isChecked()).to.equal(true);
  });
});

describe('a service without connected apps', () => {
  const at = useAccountPage();

  it('shows no section for them, and reports any request as closed', async () => {
    await openKeyList(at);
    await at.link('Tickets').waitFor();
    await waitForCount(at.link('Connected apps'), 0);
    at.expected = [consoleErrorOf(404, 'Not Found')];
    await at.page.goto('/account/connect#unknown');
    await at.see('This request is closed');
  });
});
