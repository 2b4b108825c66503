/**
 * The demo panel, for use when none is configured: an HTTP server on the loopback interface whose servers follow their
 * signals, with a page at each server's `panel_url` and downloads of its backups.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../routers/ports.ts';
import { notFound, type PanelAnswer, type PanelCall, readPanelCall, sendPanelAnswer } from './answers.ts';
import {
  createDownloads,
  createState,
  type EmulatedApi,
  type EmulatedPanel,
  findEmulatedServer,
  neverUsedUp,
  type ServerAttributes,
} from './emulated-panel.ts';
import { answerPanelCall } from './emulator.ts';
import { answerDownload } from './file-calls.ts';
import { FileTree } from './file-tree.ts';
import { gameLogOf } from './game-logs.ts';
import { startGame } from './games.ts';
import { Machine } from './machine.ts';
import { createNode } from './node.ts';
import {
  createDemoServers,
  demoIdentifiers,
  demoPanelUserId,
  firstBackup,
  firstSchedule,
  otherDemoPanelUserId,
  runningAtStart,
} from './servers.ts';

/** Both keys are new at each start. */
export async function startDemoPanel({ clock = Date.now }: { clock?: Clock } = {}) {
  const keys = { applicationKey: createKey('ptla_'), clientKey: createKey('ptlc_') };
  let url = '';
  const hosts = await Promise.all(Object.values(demoIdentifiers).map((name) => startHost(name, clock)));
  const demo = createDemo({ clock, ...keys, hosts, origin: () => url });
  const server = createServer(async (req, res) => {
    try {
      const call = await readPanelCall(req);
      sendPanelAnswer(
        res,
        answerBrowser(call, demo) ?? answerDownload(call, demo.panel) ?? answerPanelCall(call, demo.panel),
      );
    } catch {
      res.destroy();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo; // a listening TCP server has one
  url = `http://127.0.0.1:${address.port}`;
  demo.node.attach(server);
  return {
    url,
    ...keys,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      demo.node.stop();
      await Promise.all([closed, ...hosts.map(({ game }) => game.stop())]);
    },
  };
}

const createKey = (prefix: string) => prefix + randomBytes(24).toString('base64url');

interface DemoOptions extends Pick<EmulatedPanel, 'clock' | 'applicationKey' | 'clientKey'> {
  origin(): string;
  hosts: readonly Host[];
}

type Demo = ReturnType<typeof createDemo>;

function createDemo({ origin, hosts, ...options }: DemoOptions) {
  const { clock } = options;
  function hostOf(identifier: string) {
    const found = hosts.find((host) => host.identifier === identifier);
    if (!found) throw new Error(`no machine runs ${identifier}`);
    return found;
  }
  const machineOf = (identifier: string) => hostOf(identifier).machine;
  const servers = createDemoServers((identifier) => hostOf(identifier).game.port);
  const resourcesOf = (server: ServerAttributes) => measure(server, machineOf(server.identifier));
  const node = createNode({
    origin,
    serverOf: (uuid) => findEmulatedServer(uuid, panel),
    resourcesOf,
    linesOf: ({ identifier }) => machineOf(identifier).lines(),
  });
  const downloads = createDownloads(clock);
  const ownedBy = (id: number) => [id, servers.filter(({ user }) => user === id)] as const;
  const panel: EmulatedPanel = {
    ...options,
    ...createDemoState(),
    servers: new Map([ownedBy(demoPanelUserId), ownedBy(otherDemoPanelUserId)]),
    downloads,
    resourcesOf,
    backupUrl: (uuid, host) => `http://${host}/download/backup/${uuid}?token=${downloads.admit(uuid)}`,
    filesOf: ({ identifier }) => hostOf(identifier).files,
    consoleAccess: node.admit,
    onPull: () => 500,
    onSignal: (identifier, signal) => machineOf(identifier).signal(signal),
    onCommand: (identifier, command) => machineOf(identifier).enter(command),
  };
  return { panel, node, machineOf };
}

const createDemoState = () => ({
  ...createState(),
  dialect: 'pterodactyl' as const,
  rateLimitOf: (api: EmulatedApi) => neverUsedUp('pterodactyl', api),
  backups: new Map([[demoIdentifiers.minecraft, [firstBackup()]]]),
  schedules: new Map([[demoIdentifiers.minecraft, [firstSchedule()]]]),
  backupDurationMs: 4_000,
  restoreDurationMs: 4_000,
});

type Host = Awaited<ReturnType<typeof startHost>>;

/** A server's machine, files and game: what is wrong in the files makes it crash, and its log is one of them. */
async function startHost(identifier: string, clock: Clock) {
  const log = gameLogOf(identifier);
  const files = new FileTree({ ...log.files, '/logs/latest.log': () => machine.log() }, clock());
  const isBroken = () => log.isBroken?.((path) => String(files.get(path)?.content ?? '')) ?? false;
  const isRunning = runningAtStart.includes(identifier);
  const machine: Machine = new Machine({ clock, isRunning, log, isBroken });
  const game = await startGame(log.players, () => machine.state() === 'running');
  return { identifier, machine, files, game };
}

/** Figures that move over a minute, and are the same for the same moment. */
function measure({ limits }: ServerAttributes, machine: Machine) {
  const current_state = machine.state();
  const uptime = machine.uptimeMs();
  const isUp = current_state !== 'offline';
  const wave = Math.sin((uptime / 60_000) * 2 * Math.PI);
  const resources = {
    memory_bytes: isUp ? Math.round(limits.memory * 512 * 1024 * (1 + wave / 10)) : 0,
    cpu_absolute: isUp ? Math.round((limits.cpu / 10) * (1 + wave / 2) * 100) / 100 : 0,
    disk_bytes: limits.disk * 256 * 1024,
    network_rx_bytes: uptime * 3,
    network_tx_bytes: uptime * 11,
    uptime,
  };
  return { current_state, resources };
}

const plainText = { 'Content-Type': 'text/plain; charset=utf-8' };

/** What a browser gets: a server's page, and the file of a backup; null for any other path. */
function answerBrowser({ path, method }: PanelCall, { panel, machineOf }: Demo): PanelAnswer | null {
  const { pathname, searchParams } = new URL(path, 'http://panel');
  const [, identifier] = /^\/server\/([^/]+)$/.exec(pathname) ?? [];
  const [, uuid] = /^\/download\/backup\/([^/]+)$/.exec(pathname) ?? [];
  if (method !== 'GET' || !(identifier || uuid)) return null;
  if (identifier) {
    const server = findEmulatedServer(identifier, panel);
    if (!server) return notFound();
    const state = server.suspended ? 'suspended' : machineOf(server.identifier).state();
    return { headers: plainText, body: `${server.name}: ${state}\n` };
  }
  const backup = [...panel.backups.values()].flat().find((candidate) => candidate.uuid === uuid);
  if (!backup || panel.downloads.use(searchParams.get('token') ?? '') !== uuid) return notFound();
  const headers = { 'Content-Disposition': `attachment; filename="${uuid}.txt"`, ...plainText };
  return { headers, body: `${backup.name}: a backup of the demo panel holds nothing.\n` };
}
