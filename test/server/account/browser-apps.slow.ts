/** The connected apps on the account page in a real browser, and the effect of a revocation in the API. */
import { expect } from 'chai';
import { dialogOf, enter, refusal, signIn, stageAccountPage } from '../../support/account-page.ts';
import { hostedApp, stageConnectPage } from '../../support/connect-page.ts';
import { eventually } from '../../support/eventually.ts';
import { connectApp } from '../../support/oauth-app.ts';

describe('connected apps on the account page', () => {
  const at = stageConnectPage();

  const open = async () => {
    await at.page.goto('/account#apps');
    await signIn(at.page, at.user.email);
    await at.page.getByRole('heading', { name: 'Connected apps', level: 1 }).waitFor();
  };
  const connect = (scopes: string[], clientId?: string) =>
    connectApp(at.service, {
      email: at.user.email,
      ...{ scopes, params: { scope: 'read:catalog read:account write:tickets' } },
      ...(clientId !== undefined && { clientId }),
    });
  const statusWith = async (key: string) => (await at.service.call('GET', '/me', { key })).status;
  const entries = () => at.page.getByRole('list', { name: 'Connected apps' });
  const connections = (name: string) =>
    entries()
      .getByRole('listitem')
      .filter({ has: at.page.getByRole('heading', { name }) })
      .getByRole('list', { name: 'Connections' })
      .locator('> li');

  it('are none at first: the page says how to connect one, with the address to give to it', async () => {
    await open();
    await at.page.getByText('Give your agent this address as an MCP server').waitFor();
    await at.page.getByText(`${at.service.url}/mcp`, { exact: true }).waitFor();
    await at.page.getByRole('button', { name: 'Copy address' }).waitFor();
  });

  it('are listed by app, a line for each connection: scopes, since when, and when it was last used', async () => {
    const { clientId, tokens } = await connect(['read:account']);
    await statusWith(tokens.access_token);
    await connect(['read:catalog', 'write:tickets'], clientId);
    await connect(['read:account'], hostedApp.clientId);
    await open();
    await connections('Hosted agent').first().waitFor();
    await eventually(async () => expect(await connections('Hosted agent').count()).to.equal(1));
    await eventually(async () => expect(await connections('Test agent').count()).to.equal(2));
    await entries().getByText('Verified: app.example').waitFor();
    await entries().getByText('Unverified name').waitFor();
    const texts = await connections('Test agent').allTextContents();
    const since = '\\d+ \\w+ \\d{4}';
    expect(texts[0]).to.match(new RegExp(`^read:catalogwrite:ticketsConnected ${since}Never used`));
    expect(texts[1]).to.match(new RegExp(`^read:accountConnected ${since}Last used just now`));
    await at.page.getByText(`give it the address ${at.service.url}/mcp`).waitFor();
  });

  it('are revoked after confirmation, one connection at a time; its next call is refused', async () => {
    const first = await connect(['read:account']);
    const second = await connect(['read:account'], first.clientId);
    await open();
    const revokeNewest = at.page.getByRole('button', { name: 'Revoke Test agent' }).first();
    await revokeNewest.click();
    await dialogOf(at.page).getByText('Test agent').waitFor();
    await dialogOf(at.page).getByRole('button', { name: 'Cancel' }).click();
    expect(await statusWith(second.tokens.access_token)).to.equal(200);
    await revokeNewest.click();
    await dialogOf(at.page).getByRole('button', { name: 'Revoke' }).click();
    await at.page.getByRole('status').getByText('The connection is revoked.').waitFor();
    await eventually(async () => expect(await connections('Test agent').count()).to.equal(1));
    expect(await statusWith(second.tokens.access_token)).to.equal(401);
    expect(await statusWith(first.tokens.access_token)).to.equal(200);
  });

  it('are given rights and lose them by the user, with effect on their next call', async () => {
    const { tokens } = await connect(['read:account']);
    const change = async (scope: string, isTicked: boolean) => {
      await at.page.getByRole('button', { name: 'Rights Test agent' }).click();
      await dialogOf(at.page).getByRole('checkbox', { name: scope }).setChecked(isTicked);
      await dialogOf(at.page).getByRole('button', { name: 'Save' }).click();
    };
    const listed = async () =>
      (await at.service.call('GET', '/announcements', { key: tokens.access_token })).status;
    await open();
    expect([await listed(), await statusWith(tokens.access_token)]).to.deep.equal([403, 200]);
    await change('read:catalog', true);
    await eventually(async () => expect(await listed()).to.equal(200));
    await connections('Test agent').first().getByText('read:catalog').waitFor();
    await change('read:account', false);
    await eventually(async () => expect(await statusWith(tokens.access_token)).to.equal(403));
    await change('read:catalog', false);
    await dialogOf(at.page).getByText('Tick at least one, or revoke the connection.').waitFor();
  });
});

describe('a service where apps cannot connect', () => {
  const at = stageAccountPage();

  it('shows no section for them, and says of any request that it is closed', async () => {
    await enter(at);
    await at.page.getByRole('link', { name: 'Tickets' }).waitFor();
    await eventually(async () =>
      expect(await at.page.getByRole('link', { name: 'Connected apps' }).count()).to.equal(0),
    );
    at.expected = [refusal(404, 'Not Found')];
    await at.page.goto('/account/connect#unknown');
    await at.page.getByText('This request is closed').waitFor();
  });
});
