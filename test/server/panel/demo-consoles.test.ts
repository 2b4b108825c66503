/** The demo panel's consoles: they take commands, and show games that run and one that fails. */
import { expect } from 'chai';
import { demoIdentifiers, demoPanelUserId } from '../../../server/panel/demo/servers.ts';
import { openPanel } from '../../../server/panel/pterodactyl.ts';
import { useForEach } from '../../support/use-started.ts';
import { located, refusalOf } from './start-panel-test.ts';

const log = { error: () => {}, warn: () => {} };

describe('demo panel: consoles', () => {
  let nowMs: number;
  const opened = useForEach(() => {
    nowMs = Date.parse('2026-05-01T12:00:00Z');
    return openPanel(null, { clock: () => nowMs, log });
  });

  async function find(identifier: string) {
    const { servers } = await opened.panel.listServers(demoPanelUserId, 'req-1');
    return (
      servers.find((server) => server.identifier === identifier) ?? expect.fail('there is no such server')
    );
  }
  const send = (command: string, server: string = demoIdentifiers.rust) =>
    opened.panel.sendCommand(located(server), command, 'req-1');
  const pageOf = async (identifier: string) => {
    const { panelUrl } = await find(identifier);
    return (await fetch(panelUrl ?? '')).text();
  };

  it('show commands at the panel_url, the last twenty of them', async () => {
    await send('say hello');
    expect(await pageOf(demoIdentifiers.rust)).to.equal('Rusty Weekend: running\n> say hello\n');
    for (let count = 1; count <= 20; count += 1) await send(`say ${count}`);
    const [, first, ...others] = (await pageOf(demoIdentifiers.rust)).trimEnd().split('\n');
    expect([first, others.length]).to.deep.equal(['> say 1', 19]);
  });

  it('stop a running server with the command stop, which shows in its live state', async () => {
    await send('stop');
    expect((await opened.panel.getResources(located(demoIdentifiers.rust), 'req-2')).state).to.equal(
      'stopping',
    );
  });

  it('refuse commands for a stopped server', async () => {
    const { message } = await refusalOf(send('list', demoIdentifiers.valheim));
    expect(message).to.equal('The server is not running');
  });

  async function read(identifier: string) {
    nowMs += 20_000; // past every cache
    return opened.panel.readConsole(await find(identifier), 'req-1');
  }

  it('show a game that runs, and the answer to a command', async () => {
    await opened.panel.sendCommand(located(demoIdentifiers.minecraft), 'list', 'req-1');
    const { state, lines } = await read(demoIdentifiers.minecraft);
    expect(state).to.equal('running');
    expect(lines).to.include('[11:50:01] [Server thread/INFO]: Done (1.412s)! For help, type "help"');
    expect(lines.slice(-2)).to.deep.equal([
      '> list',
      '[12:00:00] [Server thread/INFO]: There are 1 of a max of 20 players online: dana',
    ]);
  });

  it('show a crash with its stack trace', async () => {
    const text = (await read(demoIdentifiers.rust)).lines.join('\n');
    expect(text).to.match(/RaidTimer.*NullReferenceException.*\n {2}at Oxide\.Plugins/);
  });

  it('show nothing of a server that is off, and its start once it is started', async () => {
    expect((await read(demoIdentifiers.valheim)).lines).to.deep.equal([]);
    await opened.panel.sendPower(located(demoIdentifiers.valheim), 'start', 'req-1');
    expect((await read(demoIdentifiers.valheim)).lines).to.include('Starting');
  });
});
