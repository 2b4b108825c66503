/** The agents' stories of README, played over MCP by an app that requests no scopes and therefore has those that they need. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import type { Account } from '../../support/account.ts';
import { createSendMessage, toolCall } from '../../support/mcp.ts';
import { connectApp } from '../../support/oauth-app.ts';
import { panelBackup, panelServer } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { useService } from '../../support/service.ts';

const server_identifier = 'a1b2c3d4';
const server = panelServer({ identifier: server_identifier });

describe('an agent that a user connected', () => {
  const service = useService({ hasApps: true, rateLimitPerMinute: 1_000 });
  let token: string;
  let account: Account;

  before(async () => {
    resetPanel(service, [server]);
    const { email } = await service.addUser({ panelUserId: 7 });
    const connected = await connectApp(service, { email });
    ({ account } = connected);
    token = connected.tokens.access_token;
  });

  const call = async (name: string, args: object = {}) => {
    const { body } = await createSendMessage(service.url)(toolCall(name, args), { key: token });
    expect(body.result.isError, JSON.stringify(body)).to.equal(undefined);
    return body.result.structuredContent;
  };

  it("opens a ticket, finds the staff's answer, says thanks and closes the ticket", async () => {
    const { ticket } = await call('create_ticket', { title: 'Lag on my server', message: 'Since noon.' });
    const { secret: staff } = await service.addKey({ user: await service.addUser({ isSupport: true }) });
    const answer = { key: staff, body: { message: 'Your server has moved.' } };
    await service.call('POST', `/admin/tickets/${ticket.id}/reply`, answer);
    const { tickets } = await call('list_my_tickets', { awaiting: 'customer' });
    expect(tickets).to.have.lengthOf(1);
    expect(tickets[0]).to.include({ id: ticket.id, last_reply_by: 'staff', message_count: 2 });
    const { messages } = await call('get_ticket', { ticket_id: ticket.id, after: 1 });
    expect(messages[0]).to.include({ author: 'staff', message: 'Your server has moved.' });
    await call('reply_to_ticket', { ticket_id: ticket.id, message: 'Thank you.' });
    expect((await call('close_ticket', { ticket_id: ticket.id })).ticket.status).to.equal('Closed');
  });

  it('backs up a server, waits for the backup to complete, and restarts the server', async () => {
    const { servers } = await call('list_my_servers');
    expect(servers[0].identifier).to.equal(server_identifier);
    expect((await call('get_server_resources', { server_identifier })).resources.state).to.equal('running');
    const { backup } = await call('create_server_backup', { server_identifier, name: 'Before the restart' });
    service.panel.backups.set(server_identifier, [panelBackup({ uuid: backup.uuid })]);
    service.clock.advance(20_000);
    const waiting = { server_identifier, backup_uuid: backup.uuid, wait: 25 };
    expect((await call('get_server_backup', waiting)).backup.is_successful).to.equal(true);
    expect((await call('set_server_power', { server_identifier, signal: 'restart' })).status).to.equal(
      'accepted',
    );
    expect(service.panel.signals).to.deep.equal([`${server_identifier} restart`]);
  });

  it('finds out why players cannot join, and reports it to support', async () => {
    service.panel.consoleLines.set(server_identifier, ['[ERROR] RaidTimer v2.3.1 failed']);
    const { states } = await call('list_server_states');
    expect(states[0]).to.include({ server: server_identifier, state: 'running' });
    const { console: output } = await call('get_console_output', { server_identifier });
    const [failure] = output.lines;
    const written = { title: 'Players cannot join', message: failure, service_reference: server_identifier };
    const { ticket } = await call('create_ticket', written);
    expect((await call('get_ticket', { ticket_id: ticket.id })).messages[0].message).to.equal(failure);
  });

  it('repairs a server that is down after its user adds rights under Connected apps', async () => {
    const files = service.panel.filesOf(server);
    files.write('/server.properties', Buffer.from('max-players=none'), 0);
    const args = { server_identifier, file: '/server.properties' };
    const { apps } = await account.api.apps.list.query();
    const { id = '', scopes = [] } = apps[0] ?? {};
    const change = (granted: string[]) => account.api.apps.change.mutate({ id, scopes: granted as never });
    await change([...scopes, 'read:files', 'write:files']);
    const { file } = await call('read_server_file', args);
    expect(file.content).to.equal('max-players=none');
    await call('write_server_file', { ...args, content: 'max-players=40', if_sha256: file.sha256 });
    expect((await call('read_server_file', args)).file.content).to.equal('max-players=40');
    await call('create_ticket', { title: 'Repaired', message: 'It has a number again.' });
    await change(scopes);
  });

  it("backs up a server every night and restarts it afterwards, with the protocol's official client", async () => {
    const { apps } = await account.api.apps.list.query();
    const { id = '', scopes = [] } = apps[0] ?? {};
    const change = (granted: string[]) => account.api.apps.change.mutate({ id, scopes: granted as never });
    await change([...scopes, 'manage:schedules', 'manage:backups']);
    const client = new Client({ name: 'test', version: '1.0.0' });
    const headers = { Authorization: `Bearer ${token}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } }),
    );
    const use = async (name: string, args: object) => {
      const result = await client.callTool({ name, arguments: { server_identifier, ...args } });
      expect(result.isError, JSON.stringify(result)).to.not.equal(true);
      return Object(result.structuredContent);
    };
    // The client validates results against the schemas of the tools that it has listed.
    await client.listTools();
    expect((await use('list_server_schedules', {})).schedules).to.deep.equal([]);
    const restart = { action: 'power', signal: 'restart', delay_seconds: 600 };
    const nightly = { name: 'Nightly', cron: '30 4 * * *', tasks: [{ action: 'backup' }, restart] };
    const { schedule } = await use('create_server_schedule', nightly);
    expect(schedule.next_run_at).to.match(/T04:30:00\.000Z$/);
    // The text it had read, with one change.
    await use('replace_server_schedule', { ...schedule, schedule_id: schedule.id, is_active: false });
    const { schedules } = await use('list_server_schedules', {});
    expect(schedules).to.deep.equal([{ ...schedule, is_active: false }]);
    expect((await use('run_server_schedule', { schedule_id: schedule.id })).status).to.equal('accepted');
    await use('delete_server_schedule', { schedule_id: schedule.id });
    expect((await use('list_server_schedules', {})).schedules).to.deep.equal([]);
    await client.close();
    await change(scopes);
  });

  it('403: learns from a tool which right to ask its user for', async () => {
    const args = { server_identifier, file: '/server.properties' };
    const { body } = await createSendMessage(service.url)(toolCall('read_server_file', args), { key: token });
    expect(JSON.parse(body.result.content[0].text).error).to.deep.equal({
      code: 'insufficient_scope',
      message: `This access token lacks the scope read:files: sign in again with it, or add it at ${service.url}/account#apps (Connected apps → Rights)`,
    });
  });
});
