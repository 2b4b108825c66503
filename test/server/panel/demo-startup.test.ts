/** How the demo's servers start: a server with the wrong Java is repaired in each protocol, and reinstallation takes seconds. */
import { expect } from 'chai';
import { variableKinds } from '../../../routers/servers/variable-rules.ts';
import { demoPanelUserId, startDemoPanel } from '../../../server/panel/demo/demo.ts';
import { demoIdentifiers } from '../../../server/panel/demo/games.ts';
import { protocolsOf } from '../../support/protocol-clients.ts';
import { apiOperations } from '../../support/samples.ts';
import { startTestService } from '../../support/service.ts';
import { useStarted } from '../../support/use-started.ts';

describe('how the demo servers start', () => {
  let nowMs = Date.now();
  const demo = useStarted(() => startDemoPanel({ clock: () => nowMs }));
  const service = useStarted(() => {
    const { url, applicationKey, clientKey } = demo;
    return startTestService({ panel: { url, applicationKey, clientKey } });
  });
  const { minecraft, minecraftOnOldJava, rust, valheim } = demoIdentifiers;
  let key: string;

  before(async () => {
    const user = await service.addUser({ panelUserId: demoPanelUserId });
    ({ secret: key } = await service.addKey({ user }));
  });

  const pass = (ms: number) => {
    nowMs += ms;
    service.clock.advance(ms + 60_000); // past every cache
  };

  for (const protocol of ['rest', 'trpc', 'mcp'] as const)
    it(`lets a customer find the wrong Java in the console, change it and restart, over ${protocol}`, async () => {
      // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape it expects
      const call = async (name: string, input: object = {}): Promise<any> => {
        const operation = apiOperations.find((each) => each.name === name) ?? expect.fail(name);
        const ask = protocolsOf(service, operation)[protocol] ?? expect.fail(`${name} has no tool`);
        const outcome = await ask(operation, { server_identifier: minecraftOnOldJava, ...input }, key);
        return 'data' in outcome ? outcome.data : expect.fail(outcome.message);
      };
      const restartOn = async (image: string) => {
        expect((await call('servers.startup.change', { image })).startup.image).to.equal(image);
        await call('servers.power', { signal: 'restart' });
        pass(10_000);
        return (await call('servers.console.get')).console;
      };
      const { state, lines } = (await call('servers.console.get')).console;
      expect(state).to.equal('starting');
      expect(lines.join('\n')).to.match(/UnsupportedClassVersionError: .*\(class file version 65\.0\)/);
      const { startup } = await call('servers.startup.get');
      const [java17, java21] = startup.images;
      expect([startup.image, java17.name, java21.name]).to.deep.equal([java17.image, 'Java 17', 'Java 21']);
      const repaired = await restartOn(java21.image);
      expect([repaired.state, repaired.lines.at(-1)]).to.match(/^running,.*Done \(/);
      expect((await restartOn(java17.image)).state).to.equal('starting');
    });

  it('have variables of every kind, with and without values, and one that only the host changes', async () => {
    const variables: { name: string; kind: string; value: string; is_editable: boolean }[] = [];
    for (const server of [minecraft, rust, valheim])
      variables.push(
        ...(await service.call('GET', `/servers/${server}/startup`, { key })).body.startup.variables,
      );
    expect(new Set(variables.map(({ kind }) => kind))).to.have.keys(...variableKinds);
    const shown = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
    expect(shown).to.include({
      SERVER_JARFILE: 'server.jar',
      LEVEL_SEED: '',
      PASSWORD: 'demo-valheim-password',
    });
    expect(variables.filter((each) => !each.is_editable).map(({ name }) => name)).to.deep.equal([
      'SERVER_TYPE',
    ]);
  });

  it('run a new version only after a reinstallation of some seconds, and other values after a restart', async () => {
    const base = `/servers/${minecraft}`;
    const statusOf = async () => (await service.call('GET', base, { key })).body.server.status;
    const body = { variables: { MINECRAFT_VERSION: '1.21.8', SERVER_JARFILE: 'new.jar' } };
    const changed = await service.call('PATCH', `${base}/startup`, { key, body });
    expect(changed.body.startup.command).to.equal('java -Xms128M -Xmx6144M -jar new.jar');
    const restartAndRead = async (signal: string) => {
      await service.call('POST', `${base}/power`, { key, body: { signal } });
      pass(5_000);
      return (await service.call('GET', `${base}/console`, { key })).body.console.lines.join('\n');
    };
    expect(await restartAndRead('restart')).to.match(/-jar new\.jar\n.* server version 1\.21\.4\n/);
    const reinstalled = await service.call('POST', `${base}/reinstall`, { key, body: { backup: null } });
    expect([reinstalled.status, await statusOf()]).to.deep.equal([202, 'installing']);
    pass(6_000);
    expect(await statusOf()).to.equal(null);
    expect(await restartAndRead('start')).to.match(/-jar new\.jar\n.* server version 1\.21\.8\n/);
  });
});
