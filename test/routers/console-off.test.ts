/** Without CONSOLE_COMMANDS there are no console commands: no scope, no endpoint, no tool and no mention of them. */
import { expect } from 'chai';
import type { UserRecord } from '../../models/user.ts';
import { scopes } from '../../routers/scopes.ts';
import { type Account, signInAccount } from '../support/account.ts';
import { createCli } from '../support/cli.ts';
import { createSendMessage, legacyRequest, toolCall } from '../support/mcp.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { type Answer, useService } from '../support/service.ts';

const id = 'a1b2c3d4';
const words = /write:console|send_?console|command/i;

/** Headers that differ between any two answers. */
const changing = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const bytesOf = ({ status, headers, text }: Answer) => ({
  status,
  headers: [...headers].filter(([name]) => !changing.includes(name)),
  text,
});

describe('console commands that are turned off', () => {
  const service = useService({ config: { hasConsoleCommands: false } });
  let user: UserRecord;
  let key: string;
  let keyId: string;
  let account: Account;

  before(async () => {
    user = await service.addUser({ panelUserId: 7, isAdmin: true });
    service.panel.servers.set(7, [panelServer({ identifier: id })]);
    // Issued while commands were on.
    const issued = await service.addKey({ user, scopes: ['read:account', 'write:console'] });
    [key, keyId] = [issued.secret, issued.key._id];
    account = await signInAccount(service.url, user);
  });
  beforeEach(() => service.clock.advance(60_000)); // Past the rate limit that the previous test used.

  it('make the endpoint answer like an unknown path, for any key, method and body', async () => {
    for (const own of [key, null])
      for (const [method, body] of [
        ['POST', { command: 'list' }],
        ['POST', { surprise: 1 }],
        ['GET', undefined],
        ['DELETE', undefined],
      ] as const) {
        const [answer, unknown] = [
          await service.call(method, `/servers/${id}/command`, { key: own, body }),
          await service.call(method, `/servers/${id}/comment`, { key: own, body }),
        ];
        expect(bytesOf(answer)).to.deep.equal(bytesOf(unknown));
        expect(answer.body.error.code).to.equal(own ? 'not_found' : 'unauthorized');
      }
    expect(service.panel.commands).to.deep.equal([]);
  });

  it('make the tRPC procedure answer like an unknown one', async () => {
    const body = { server_identifier: id, command: 'list' };
    const ask = (name: string) => service.callAt('POST', `/trpc/servers.${name}`, { key, body });
    const [answer, unknown] = [await ask('console.send'), await ask('comment.send')];
    expect(answer.status).to.equal(404);
    expect(answer.text.replaceAll('console', 'comment').replace(/"requestId":"\w+"/, '')).to.equal(
      unknown.text.replace(/"requestId":"\w+"/, ''),
    );
  });

  it('leave the tool unlisted, and calls to it answer like an unknown one', async () => {
    const message = createSendMessage(service.url);
    const { text } = await message(legacyRequest('tools/list'), { key });
    // The word "command" is allowed: tasks of schedules have commands, as in the panel.
    expect(text).not.to.match(/write:console|send_?console/i);
    const input = { server_identifier: id, command: 'list' };
    const [answer, unknown] = [
      await message(toolCall('send_console_command', input), { key }),
      await message(toolCall('send_comment_command', input), { key }),
    ];
    expect(answer.text.replaceAll('console', 'comment')).to.equal(unknown.text);
  });

  it('appear in neither the OpenAPI document nor the docs page', async () => {
    for (const path of ['/api/v1/openapi.json', '/api/v1/openapi.json?version=3.0', '/api/v1/docs']) {
      const { status, text } = await service.callAt('GET', path);
      expect(status).to.equal(200);
      expect(text)
        .to.include('write:backups')
        .and.not.match(/write:console|send_?console|\/command/i);
    }
  });

  it('lose their scope on existing keys, whose owner sees why', async () => {
    const { body } = await service.call('GET', '/key', { key });
    expect(body.key.scopes).to.deep.equal(['read:account']);
    const { live } = await account.api.keys.list.query();
    expect(live.map(({ scopes }) => scopes)).to.deep.equal([['read:account']]);
    const reason = 'Console commands are turned off here';
    expect(live[0]?.inactive_scopes).to.deep.equal([{ scope: 'write:console', reason }]);
  });

  it('are absent from the account page, which refuses a key with their scope (400)', async () => {
    const { grantable_scopes } = await account.api.keys.list.query();
    expect(grantable_scopes.map(({ scope }) => scope))
      .to.include('admin:tickets')
      .and.not.include('write:console');
    for (const scope of ['write:console', 'write:all'] as const) {
      const { body, text } = await account.call('keys.create', {
        name: 'Bot',
        scopes: ['read:catalog', scope],
      });
      const offered = scopes.filter((name) => name !== 'write:console');
      expect(body.error.message).to.equal(`scopes.1 must be one of ${offered.join(', ')}`);
      expect(text).not.to.match(words);
    }
  });

  it('are dropped by a rotation', async () => {
    const { key: rotated } = await account.api.keys.rotate.mutate({ id: keyId, overlap_hours: 24 });
    expect(rotated.scopes).to.deep.equal(['read:account']);
    expect((await service.models.apiKeys.find(rotated.id))?.scopes).to.deep.equal(['read:account']);
  });

  describe('on the command line', () => {
    const issue = () => `key issue --email ${user.email} --name bot --scopes write:console`;

    it('are offered by key issue with CONSOLE_COMMANDS=true', async () => {
      const cli = createCli({ MONGODB_URI: service.databaseUri, CONSOLE_COMMANDS: 'true' });
      expect((await cli.json(issue())).scopes).to.deep.equal(['write:console']);
    });

    it('appear in the document that openapi prints only with CONSOLE_COMMANDS=true', async () => {
      expect(await createCli({}).text('openapi')).not.to.match(/write:console|\/command/);
      expect(await createCli({ CONSOLE_COMMANDS: 'true' }).text('openapi'))
        .to.include('write:console')
        .and.include('/servers/{server_identifier}/command');
    });
  });
});
