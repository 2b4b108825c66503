/** An agent's whole story with the demo server that crashes, in each protocol: README.md tells it. */
import { expect } from 'chai';
import type { Scope } from '../../routers/scopes.ts';
import { startDemoPanel } from '../../server/panel/demo/demo.ts';
import { demoIdentifiers, demoPanelUserId } from '../../server/panel/demo/servers.ts';
import { publicClients } from '../support/protocol-clients.ts';
import { type Answer, startTestService } from '../support/service.ts';
import { useForEach } from '../support/use-started.ts';

const protocols: Record<string, (answer: Answer) => unknown> = {
  REST: ({ body }) => body,
  tRPC: ({ body }) => body.result.data,
  MCP: ({ body }) => body.result.structuredContent,
};

/** No more than README.md tells an agent to ask for. */
const granted: Scope[] = [
  ...(['read:account', 'read:files', 'write:files'] as const),
  ...(['write:backups', 'write:servers', 'write:tickets'] as const),
];

const server_identifier = demoIdentifiers.valheim;
const settings = '/config/server.yml';

describe('a server that crashes', () => {
  let nowMs = Date.now();
  const demo = useForEach(() => startDemoPanel({ clock: () => nowMs }));
  const service = useForEach(() => {
    const { url, applicationKey, clientKey } = demo;
    return startTestService({ panel: { url, applicationKey, clientKey, progressTtlMs: 50 } });
  });
  const pass = (ms: number) => {
    nowMs += ms;
    service.clock.advance(ms);
  };

  for (const [protocol, resultOf] of Object.entries(protocols))
    it(`is found, understood, backed up, mended, started and told to support over ${protocol}`, async () => {
      const user = await service.addUser({ panelUserId: demoPanelUserId });
      const { secret: key } = await service.addKey({ user, scopes: granted });
      // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers freely
      const ask = async (operation: string, input: Record<string, unknown>): Promise<any> => {
        const client = publicClients.find(({ title }) => title === `${operation} over ${protocol}`);
        const answer = await client?.ask(service, { user, key }, { input });
        if (answer === undefined || answer.status >= 300) throw new Error(`${operation}: ${answer?.text}`);
        return resultOf(answer);
      };
      const ofServer = { server_identifier };

      const { states } = await ask('servers.states', {});
      const down = states.find(({ state }: { state: string }) => state === 'offline');
      expect(down).to.include({ server: server_identifier, name: 'Ten Longships' });

      const log = await ask('servers.files.read', { ...ofServer, file: '/logs/latest.log', tail: 3 });
      expect(log.file.content).to.include(
        'ERROR: config/server.yml, line 4: max_players must be a number from 1 to 64, and is "ten"',
      );
      const { content, sha256 } = (await ask('servers.files.read', { ...ofServer, file: settings })).file;
      expect(content.split('\n')[3]).to.equal('max_players: ten');

      const { backup } = await ask('servers.backups.create', { ...ofServer, name: 'Before the repair' });
      pass(5_000);
      const waited = await ask('servers.backups.get', { ...ofServer, backup_uuid: backup.uuid, wait: 25 });
      expect(waited.backup).to.include({ name: 'Before the repair', is_successful: true });

      const mended = content.replace('max_players: ten', 'max_players: 10');
      const write = { ...ofServer, file: settings, content: mended, if_sha256: sha256 };
      await ask('servers.files.write', write);
      const written = (await ask('servers.files.read', { ...ofServer, file: settings })).file;
      expect(written.content).to.equal(mended);

      await ask('servers.power', { ...ofServer, signal: 'start' });
      for (const ms of [4_000, 30_000]) {
        pass(ms); // in which it crashed before
        const { resources } = await ask('servers.resources', ofServer);
        expect(resources.state).to.equal('running');
      }

      const message = 'max_players was "ten" in config/server.yml. I made it 10, and the server runs.';
      const about = { service_name: 'Ten Longships', service_reference: server_identifier };
      const { ticket } = await ask('tickets.create', { title: 'Ten Longships crashed', message, ...about });
      expect(ticket).to.include({ subject: 'Ten Longships crashed', status: 'New' });
    });
});
