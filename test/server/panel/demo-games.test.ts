/** The games of the demo panel answer player queries while their servers run. */
import { expect } from 'chai';
import { demoPanelUserId, startDemoPanel } from '../../../server/panel/demo/demo.ts';
import { demoIdentifiers } from '../../../server/panel/demo/games.ts';
import { startTestService } from '../../support/service.ts';
import { useStarted } from '../../support/use-started.ts';

describe('games of the demo panel', () => {
  const demo = useStarted(() => startDemoPanel());
  const service = useStarted(() =>
    startTestService({
      panel: { url: demo.url, applicationKey: demo.applicationKey, clientKey: demo.clientKey },
    }),
  );
  let key = '';
  before(async () => {
    const user = await service.addUser({ panelUserId: demoPanelUserId });
    key = (await service.addKey({ user })).secret;
  });

  it('have players on each running server', async () => {
    const { body } = await service.call('GET', '/servers/states?figures=true', { key });
    const states: { server: string; players_online: number | null }[] = body.states;
    const shown = Object.fromEntries(states.map((state) => [state.server, state.players_online]));
    const { minecraft, rust, minecraftOnOldJava, valheim, suspendedArk } = demoIdentifiers;
    const idle = { [minecraftOnOldJava]: null, [valheim]: null, [suspendedArk]: null };
    expect(shown).to.deep.equal({ [minecraft]: 1, [rust]: 2, ...idle });
  });

  it('list their players, at an address shown by its alias', async () => {
    const path = `/servers/${demoIdentifiers.minecraft}`;
    const { players } = (await service.call('GET', `${path}/players`, { key })).body;
    expect(players).to.deep.include({ online: 1, max: 20, names: ['dana'], reason: null });
    const { allocations } = (await service.call('GET', path, { key })).body.server;
    expect(allocations[0]).to.include({ ip: '127.0.0.1', alias: 'play.demo.example', is_default: true });
  });

  it('show a reason if a server does not run', async () => {
    const { players } = (
      await service.call('GET', `/servers/${demoIdentifiers.suspendedArk}/players`, { key })
    ).body;
    expect(players).to.include({ online: null, reason: 'The server is suspended.' });
  });
});
