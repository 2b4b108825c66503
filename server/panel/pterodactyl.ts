/** The Panel port over HTTP: lists with the application key, everything about one server with the client key. */
import { upstreamFailed } from '../../routers/errors.ts';
import type { BackupRestore, OwnedServer, Panel } from '../../routers/panel-port.ts';
import type { Config } from '../config.ts';
import { createMayHaveOtherServer } from './allocations.ts';
import { Backups } from './backups.ts';
import { checkKeys } from './check-keys.ts';
import { ConsoleReader } from './console.ts';
import { startDemoPanel } from './demo/demo.ts';
import { isUnsent, type PanelAction, rethrowFor } from './failures.ts';
import { createFiles } from './files.ts';
import { LiveState } from './live-state.ts';
import type { PterodactylPanelOptions } from './options.ts';
import { createPanelApi, expecting } from './panel-api.ts';
import { createFindUser } from './panel-users.ts';
import { createSchedules } from './schedules.ts';
import { answerWithin, createServerApi, createWrite, type ServerApi, type ServerCall } from './server-api.ts';
import { createServerCondition, type ServerCondition, withConditionCheck } from './server-condition.ts';
import { createServerLists } from './server-lists.ts';
import { type PanelSettings, toSettings } from './settings.ts';
import { createStartups } from './startup.ts';
import { requireNotOff, rethrowStopped } from './stopped-server.ts';

/** Makes no call until it is used. @throws {TypeError} for an invalid URL */
export const createPterodactylPanel = (options: PterodactylPanelOptions): Panel =>
  createPanel(toSettings(options));

function createPanel(settings: PanelSettings): Panel {
  const client = createServerApi(settings);
  const application = createPanelApi('application', settings);
  const lists = createServerLists(application, settings);
  const serverCondition = createServerCondition(client, settings);
  const consoles = new ConsoleReader(client, serverCondition, settings);
  const liveState = new LiveState({ api: client, consoles, lists, settings });
  const backups = new Backups(client, settings);
  const { liveWaitMs, consoleWaitMs, writeWaitMs } = settings;
  const sendWrite = createSendWrite(client, liveState);
  const restore = createRestore(backups, liveState);
  const write = createWrite(settings);

  return {
    findUserId: createFindUser(application, settings),
    listServers: (...call) => afterSharedChanges(liveState, () => lists.list(...call)),
    mayHaveOtherServerAt: createMayHaveOtherServer(application, settings),
    sendPower: (server, signal, requestId) =>
      within(writeWaitMs, 'power', sendWrite({ server, rest: 'power', json: { signal }, requestId })),
    getResources: (...call) => liveState.get(...call).catch(rethrowFor('read')),
    getStates: (...call) => liveState.getMany(...call),
    isOff: (...call) => liveState.isOff(...call).catch(rethrowFor('read')),
    readConsole: (...call) =>
      afterSharedChanges(liveState, () => answerWithin(consoleWaitMs, consoles.get(...call))),
    listBackups: (...call) => backups.list(...call).catch(rethrowFor('read')),
    createBackup: write('backup', writeWaitMs, (...call) => backups.create(...call)),
    getBackup: (...call) => backups.get(...call).catch(rethrowFor('read')),
    getBackupLink: (...call) => within(liveWaitMs, 'read', backups.getLink(...call)),
    deleteBackup: write('deletion', writeWaitMs, (...call) => backups.delete(...call)),
    restoreBackup: (server, what, requestId) =>
      write(requestOf(what), writeWaitMs, restore)(server, what, requestId),
    sendCommand: write('command', writeWaitMs, createSendCommand({ serverCondition, liveState, sendWrite })),
    ...createFiles(withConditionCheck(client, serverCondition), settings),
    ...createSchedules({ api: client, liveState, settings }),
    ...createStartups({ api: client, backups, liveState, serverCondition, settings }),
  };
}

async function afterSharedChanges<Value>(liveState: LiveState, read: () => Promise<Value>): Promise<Value> {
  await liveState.readSharedChanges();
  return read().catch(rethrowFor('read'));
}

const within = <Value>(ms: number, request: PanelAction, call: Promise<Value>) =>
  answerWithin(ms, call).catch(rethrowFor(request));

/** Sends a write once. Afterwards, the live state is read from the node. */
const createSendWrite =
  (client: ServerApi, liveState: LiveState) =>
  async (write: ServerCall): Promise<void> => {
    const { identifier } = write.server;
    const begin = (isAccepted: boolean) => liveState.begin({ identifier, ownerId: null, isAccepted });
    await client
      .send(
        write,
        expecting([204], 'Server', () => {}),
      )
      .catch((error: unknown) => {
        if (!isUnsent(error)) begin(false);
        throw error;
      });
    begin(true);
  };

/**
 * Checks what the panel does not check. The panel would restore a failed backup, restore under a running server, and delete
 * all files even if the archive is gone.
 */
const createRestore =
  (backups: Backups, liveState: LiveState): Panel['restoreBackup'] =>
  (server, restore, requestId) =>
    restore.runExclusively(async () => {
      const { identifier, ownerId } = server;
      // Checked under the lease, so that restores cannot overlap; once one runs, the panel refuses another.
      const checkFirst = async () => {
        await backups.requireRestorable(server, restore.uuid, requestId);
        await liveState.requireStopped(server, requestId);
        if (restore.deletesFiles) await backups.requireArchive(server, restore.uuid, requestId);
      };
      await checkFirst().catch(rethrowFor('restorable'));
      // The node still reports the server as off: only the panel shows the restore.
      const sent = backups
        .restore(server, restore, requestId)
        .finally(() => liveState.begin({ identifier, ownerId, isAccepted: false }));
      await sent.catch(rethrowFor(requestOf(restore)));
    });

const requestOf = ({ deletesFiles }: BackupRestore) => (deletesFiles ? 'emptyingRestore' : 'restore');

interface CommandDeps {
  serverCondition: ServerCondition;
  liveState: LiveState;
  sendWrite: ReturnType<typeof createSendWrite>;
}

const createSendCommand =
  ({ serverCondition, liveState, sendWrite }: CommandDeps) =>
  async (server: OwnedServer, command: string, requestId: string) => {
    await serverCondition.requireAvailableForCall(server, requestId);
    await requireNotOff(server, liveState, requestId);
    await sendWrite({ server, rest: 'command', json: { command }, requestId }).catch(rethrowStopped);
  };

type PanelConfig = Pick<PterodactylPanelOptions, keyof NonNullable<Config['panel']>>;

type ClientDeps = Omit<PterodactylPanelOptions, keyof PanelConfig> & {
  isWorking?: () => boolean;
};

const refuseFetch: Panel['fetchFile'] = async () => {
  throw upstreamFailed('The demo panel has no machine that can fetch a file: configure your own panel');
};

export async function openPanel(config: PanelConfig | null, { isWorking = () => true, ...deps }: ClientDeps) {
  if (config) {
    const settings = toSettings({ ...config, ...deps });
    const stopChecking = checkKeys(settings, isWorking);
    return { panel: createPanel(settings), isDemo: false, stop: async () => stopChecking() };
  }
  const { stop, ...demo } = await startDemoPanel({ clock: deps.clock });
  // The demo panel has a single customer, who needs no limit.
  const client = createPterodactylPanel({ ...demo, kind: 'pterodactyl', callsPerCustomer: 0, ...deps });
  const panel = { ...client, fetchFile: refuseFetch };
  return { panel, isDemo: true, stop };
}
