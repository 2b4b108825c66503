/** `key issue --servers --addresses`, `key list` and `audit summary`, checked by what the API answers. */
import { expect } from 'chai';
import { createCli } from '../../support/cli.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { useService } from '../../support/service.ts';

describe('npm run cli: restricted keys and activity', () => {
  const service = useService({ config: { trustProxy: true } });
  const settings = (others: NodeJS.ProcessEnv = {}) => ({
    ...{ MONGODB_URI: service.databaseUri, PANEL_URL: service.panel.url },
    PANEL_APPLICATION_KEY: service.panel.applicationKey,
    PANEL_CLIENT_KEY: service.panel.clientKey,
    ...others,
  });
  const cli = createCli(settings);

  before(() => {
    const named = (identifier: string) => panelServer({ identifier, uuid: `${identifier}-uuid` });
    service.panel.servers.set(7, [named('mine'), named('other')]);
    service.panel.servers.set(8, [named('theirs')]);
  });

  const addOwner = () => service.addUser({ panelUserId: 7 });
  const issueFor = ({ email }: { email: string }, scopes = 'read:account') =>
    `key issue --email ${email} --name robot --scopes ${scopes}`;

  it('key issue --servers --addresses: limits the key to those servers and addresses', async () => {
    const owner = await addOwner();
    const restrictions = '--servers mine,mine --addresses 203.0.113.9/24,::ffff:198.51.100.7';
    const { key, servers, addresses } = await cli.json(`${issueFor(owner)} ${restrictions}`);
    expect({ servers, addresses }).to.deep.equal({
      servers: ['mine'],
      addresses: ['203.0.113.9/24', '198.51.100.7'],
    });
    const get = async (path: string, address: string) =>
      (await service.call('GET', path, { key, headers: { 'X-Forwarded-For': address } })).status;
    expect(await get('/servers/mine', '203.0.113.200')).to.equal(200);
    expect(await get('/servers/mine', '198.51.100.7')).to.equal(200);
    expect(await get('/servers/other', '203.0.113.200')).to.equal(404);
    expect(await get('/servers/mine', '198.51.100.8')).to.equal(403);
  });

  it('key issue prints restrictions in words, and key list shows restricted and unrestricted keys', async () => {
    const owner = await addOwner();
    const printed = await cli.text(`${issueFor(owner)} --servers mine --addresses 203.0.113.7`);
    expect(printed)
      .to.match(/^Servers: mine$/m)
      .and.match(/^From: +203\.0\.113\.7$/m);
    await cli.json(issueFor(owner));
    const list = `key list --email ${owner.email}`;
    const shown = (await cli.json(list)).map(({ servers, addresses }: Record<string, unknown>) => [
      ...[servers, addresses],
    ]);
    expect(shown).to.deep.equal([
      [null, null],
      [['mine'], ['203.0.113.7']],
    ]);
    const [heading, free, restricted] = (await cli.text(list)).split('\n');
    expect(heading).to.match(/SERVERS +ADDRESSES/);
    expect(free).to.match(/read:account +- +-/);
    expect(restricted).to.match(/read:account +mine +203\.0\.113\.7/);
  });

  it('key issue refuses foreign and missing servers in the same way, webhooks for a restricted key, and invalid ranges', async () => {
    const issue = issueFor(await addOwner());
    expect(
      await cli.refusals([`${issue} --servers theirs`, `${issue} --servers mine,nowhere`]),
    ).to.deep.equal(['the owner has no server theirs', 'the owner has no server nowhere']);
    expect(await cli.refusal(`${issue} --servers ,`, 2)).to.equal('--servers must not be empty');
    const withWebhooks = createCli(
      settings({ SECRETS_KEY: Buffer.alloc(32, 'webhooks').toString('base64') }),
    );
    expect(await withWebhooks.refusal(`${issue},write:webhooks --servers mine`)).to.equal(
      'A key that is restricted to servers cannot have write:webhooks',
    );
    expect(await cli.refusal(`${issue} --addresses 0.0.0.0/0`, 2)).to.include(
      'must be an address or a range, such as 203.0.113.7',
    );
    const behindProxy = createCli(settings({ PUBLIC_URL: 'https://api.example.com' }));
    expect(await behindProxy.refusal(`${issue} --addresses 203.0.113.7`)).to.match(
      /^Addresses cannot be restricted/,
    );
  });

  it("audit summary: counts a user's calls by day and by key, as GET /activity/summary does", async () => {
    const owner = await addOwner();
    const { secret: key, key: record } = await service.addKey({ user: owner });
    for (const path of ['/me', '/me', '/tickets/999']) await service.call('GET', path, { key });
    await service.flushAudit();
    const summary = `audit summary --email ${owner.email}`;
    const { days, keys } = await cli.json(summary);
    expect(keys).to.deep.equal([{ name: 'test', prefix: record.prefix, calls: 3, errors: 1 }]);
    expect(days).to.have.lengthOf(30);
    expect(days.at(-1)).to.include({ calls: 3, errors: 1 });
    const served = (await service.call('GET', '/activity/summary', { key })).body;
    expect(served).to.deep.equal({ days, keys });
    const printed = await cli.text(`${summary} --days 1`);
    expect(printed).to.match(/^DATE +CALLS +ERRORS\n\d{4}-\d\d-\d\d +3 +1$/m);
    expect(printed).to.match(/^test +gamehost_live_\w+ +3 +1$/m);
    const quiet = await service.addUser();
    expect(await cli.text(`audit summary --email ${quiet.email}`)).to.equal('No calls.\n');
  });
});
