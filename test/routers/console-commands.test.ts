/** Console commands over REST and MCP, where the operator has turned them on. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { startTestService } from '../support/service.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';

describe('POST /servers/{id}/command', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000, logLevel: 'info' });
  beforeEach(() => resetPanel(service, [panelServer({ identifier: id })]));

  const send = (command: unknown, own = service.key) =>
    service.call('POST', `/servers/${id}/command`, { key: own, body: { command } });
  const stateOf = async () =>
    (await service.call('GET', `/servers/${id}/resources`, { key: service.key })).body.resources.state;
  const calls = () => service.panel.requests.map(({ method, path }) => `${method} ${path}`);
  const commandCall = `POST /api/client/servers/${id}/command`;

  it('answers 202 and sends the command to the panel once, unchanged', async () => {
    const answer = await send(' say Grüße, "all" ');
    expect([answer.status, answer.body]).to.deep.equal([
      202,
      { server: id, command: ' say Grüße, "all" ', status: 'accepted' },
    ]);
    expect(service.panel.commands).to.deep.equal([`${id}  say Grüße, "all" `]);
  });

  it('accepts 500 characters, counted as code points', async () => {
    expect((await send('🎮'.repeat(500))).status).to.equal(202);
    expectError(await send('🎮'.repeat(501)), 'bad_request', 'command must be at most 500 characters');
  });

  it('answers 400 to line endings, terminal control characters and an empty command', async () => {
    const message = 'command must be a single line without control characters';
    for (const character of ['\n', '\r', '\r\n', '\t', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029'])
      for (const command of [`say hello${character}stop`, `stop${character}`])
        expectError(await send(command), 'bad_request', message);
    for (const command of ['', '  '])
      expectError(await send(command), 'bad_request', 'command must not be empty');
    expect(service.panel.requests).to.deep.equal([]);
  });

  it('answers 400 for a stopped server as Pterodactyl reports it, with one call besides the list of servers', async () => {
    service.panel.runStates.set(id, 'offline');
    expectError(await send('list'), 'bad_request', 'The server is not running');
    expect(service.panel.commands).to.deep.equal([]);
    expect(calls()).to.deep.equal(['GET /api/application/users/7?include=servers.allocations', commandCall]);
  });

  it("sends a command to a server that has just started, even if the panel's cache says stopped", async () => {
    service.panel.runStates.set(id, 'offline');
    expect(await stateOf()).to.equal('offline');
    service.panel.runStates.set(id, 'running');
    expect((await send('list')).status).to.equal(202);
  });

  it('answers 400 for a stopped server on Pelican, which would accept and drop the command', async () => {
    const pelican = await startTestService({ dialect: 'pelican' });
    const { secret: key } = await pelican.addKey({ user: await pelican.addUser({ panelUserId: 7 }) });
    pelican.panel.servers.set(7, [panelServer({ identifier: id })]);
    const ask = () => pelican.call('POST', `/servers/${id}/command`, { key, body: { command: 'list' } });
    const resources = () => pelican.call('GET', `/servers/${id}/resources`, { key });
    // The panel has cached an outdated state.
    for (const [kept, now, status] of [
      ['running', 'offline', 400],
      ['offline', 'running', 202],
    ] as const) {
      pelican.clock.advance(600_000);
      pelican.panel.runStates.set(id, kept);
      expect((await resources()).body.resources.state).to.equal(kept);
      pelican.panel.runStates.set(id, now);
      expect((await ask()).status).to.equal(status);
    }
    expect(pelican.panel.commands).to.deep.equal([`${id} list`]);
    await pelican.stop();
  });

  it('answers 400 for a server that stopped within the last seconds, as Pterodactyl reports', async () => {
    expect(await stateOf()).to.equal('running');
    service.panel.runStates.set(id, 'offline');
    expectError(await send('list'), 'bad_request', 'The server is not running');
    expect(service.panel.commands).to.deep.equal([]);
  });

  it("leaves the decision to the panel when a server's state is unknown", async () => {
    service.panel.runStates.set(id, 'paused');
    expect((await send('list')).status).to.equal(202);
    service.panel.servers.set(7, [panelServer({ identifier: id, suspended: true })]);
    service.clock.advance(600_000);
    const message =
      'The server is suspended, so the panel refused the command; a retry does not help until that has changed';
    expectError(await send('list'), 'upstream_error', message);
  });

  it('reads the live state again afterwards', async () => {
    expect(await stateOf()).to.equal('running');
    await send('stop');
    service.panel.runStates.set(id, 'stopping');
    expect(await stateOf()).to.equal('stopping');
  });

  it('answers 502 with an open outcome when the connection is lost, and does not resend', async () => {
    await stateOf();
    service.panel.respondNext('reset');
    const message = 'The connection to the panel was lost; the command may or may not have been carried out';
    expectError(await send('list'), 'upstream_error', message);
    expect(calls().filter((call) => call === commandCall)).to.have.lengthOf(1);
  });

  it('keeps the command out of logs and audit entries', async () => {
    await send('login hunter2-of-the-console');
    await stateOf();
    service.panel.respondNext('reset');
    await send('login hunter2-of-the-console');
    await service.flushAudit();
    const entries = await service.connection.collection('audit_entries').find().toArray();
    expect(JSON.stringify(entries)).to.include('servers.console.send');
    expect(JSON.stringify([service.logLines, entries])).not.to.include('hunter2');
  });
});
