/**
 * The Panel port over the HTTP API of Pterodactyl and Pelican: lists with the application key, everything about one
 * server with the client key. Every failure is thrown as an ApiError, with our message.
 */
import type { ServerChange } from '../../models/server-change.ts';
import { badRequest } from '../../routers/errors.ts';
import type { BackupRestore, LocatedServer, Panel } from '../../routers/panel-port.ts';
import { createLimiter } from '../limit/limiter.ts';
import { withoutEndSlash } from '../setting-types.ts';
import { createBackups } from './backups.ts';
import { checkKeys } from './check-keys.ts';
import { ConsoleReader } from './console.ts';
import { startDemoPanel } from './demo/demo.ts';
import { Evidence } from './evidence.ts';
import { isUnsent, PanelFailure, rethrowFor } from './failures.ts';
import { createFiles } from './files.ts';
import { createFindUser } from './find-user.ts';
import { createLiveState } from './live-state.ts';
import {
  type PanelSettings,
  type PterodactylPanelOptions,
  panelDefaults,
  type TraceCall,
} from './options.ts';
import { createOwnAddress } from './own-address.ts';
import { createPanelApi, expecting } from './panel-api.ts';
import { answerWithin, createServerApi, createWrite, type ServerApi } from './server-api.ts';
import { createServerLists } from './server-lists.ts';
import { createShutOut, openToOwner, type ShutOut } from './server-view.ts';

/** Makes no call until it is used. Throws TypeError when the URL is invalid. */
export const createPterodactylPanel = (options: PterodactylPanelOptions): Panel =>
  createPanel(toSettings(options));

function createPanel(settings: PanelSettings): Panel {
  const client = createServerApi(settings);
  const application = createPanelApi('application', settings);
  const findUser = createFindUser(application, settings);
  const lists = createServerLists(application, settings);
  const shutOut = createShutOut(client, settings);
  const consoles = new ConsoleReader(client, shutOut, settings);
  const forget = createForget(consoles, lists);
  const liveState = createLiveState({ api: client, consoles, settings, forget });
  const backups = createBackups(client, settings);
  const { liveWaitMs, consoleWaitMs, writeWaitMs } = settings;
  const sendWrite = createSendWrite(client, liveState);
  const afterOthers = createAfterOthers(liveState);
  const write = createWrite(settings);

  return {
    findUserId: (...call) => findUser(...call).catch(rethrowFor('read')),
    listServers: (...call) => afterOthers(() => lists.list(...call)),
    sendPower: (server, signal, requestId) => {
      const sent = sendWrite({ server, rest: 'power', json: { signal }, requestId });
      return answerWithin(writeWaitMs, sent).catch(rethrowFor('power'));
    },
    getResources: (...call) => liveState.get(...call).catch(rethrowFor('read')),
    getStates: liveState.getMany,
    readConsole: (...call) => afterOthers(() => answerWithin(consoleWaitMs, consoles.get(...call))),
    listBackups: (...call) => backups.list(...call).catch(rethrowFor('read')),
    createBackup: (...call) => answerWithin(writeWaitMs, backups.create(...call)).catch(rethrowFor('backup')),
    getBackup: (...call) => backups.get(...call).catch(rethrowFor('read')),
    getBackupLink: (...call) => answerWithin(liveWaitMs, backups.getLink(...call)).catch(rethrowFor('read')),
    deleteBackup: write('deletion', 2, (...call) => answerWithin(writeWaitMs, backups.delete(...call))),
    restoreBackup: write('restore', 6, createRestoreBackup(backups, liveState, writeWaitMs)),
    sendCommand: write(
      'command',
      (_, { acceptsCommandsWhenOff: isLookNeeded }) => (isLookNeeded ? 3 : 1),
      createSendCommand({ liveState, shutOut, sendWrite, waitMs: writeWaitMs }),
    ),
    ...createFiles(openToOwner(client, shutOut), settings),
  };
}

/** What all files of this folder work with. @throws {TypeError} for an invalid URL */
export function toSettings(options: PterodactylPanelOptions): PanelSettings {
  const { traceCall = untraced, onConsoleRead = () => {} } = options;
  const publicUrl = options.publicUrl && baseUrl(options.publicUrl);
  const url = baseUrl(options.url);
  const settings = {
    ...panelDefaults,
    onOutcome: () => {},
    ...options,
    traceCall,
    onConsoleRead,
    publicUrl,
    url,
    limiter: options.limiter ?? createLimiter({ clock: options.clock, shared: null }),
    ownAddress: createOwnAddress(url, publicUrl),
  };
  return { ...settings, evidence: new Evidence(settings) };
}

/** What is kept of a server that changes. */
const createForget =
  (consoles: ConsoleReader, lists: ReturnType<typeof createServerLists>) =>
  ({ identifier, ownerId }: ServerChange): void => {
    consoles.forget(identifier);
    if (ownerId !== null) lists.drop(ownerId);
  };

type LiveState = ReturnType<typeof createLiveState>;

/** What another process has sent to the server counts. */
const createAfterOthers =
  ({ heedOthers }: LiveState) =>
  async <Value>(read: () => Promise<Value>): Promise<Value> => {
    await heedOthers();
    return read().catch(rethrowFor('read'));
  };

interface ServerWrite {
  server: LocatedServer;
  rest: 'power' | 'command';
  json: object;
  requestId: string;
}

/** Sends a write once; afterwards the live state is what the node tells. */
const createSendWrite =
  (client: ServerApi, liveState: LiveState) =>
  async (write: ServerWrite): Promise<void> => {
    try {
      await client.send(
        write,
        expecting([204], 'Server', () => {}),
      );
    } catch (error) {
      if (!isUnsent(error)) liveState.beginChange(write.server, false);
      throw error;
    }
    liveState.beginChange(write.server, true);
  };

/** The panel would also restore what has failed, under a server that runs, and delete all files for an archive that is gone. */
function createRestoreBackup(
  backups: ReturnType<typeof createBackups>,
  liveState: LiveState,
  waitMs: number,
): Panel['restoreBackup'] {
  const requireRestorable = (server: LocatedServer, { uuid }: BackupRestore, requestId: string) =>
    backups.requireRestorable(server, uuid, requestId).catch(rethrowFor('restorable'));

  async function begin(server: LocatedServer, restore: BackupRestore, requestId: string) {
    await liveState.requireStopped(server, requestId).catch(rethrowFor('restorable'));
    if (restore.deletesFiles)
      await backups.requireArchive(server, restore.uuid, requestId).catch(rethrowFor('restorable'));
    const sent = backups.restore(server, restore, requestId).finally(() => liveState.beginRestore(server));
    await sent.catch(rethrowFor(requestOf(restore)));
  }

  async function restoreBackup(...call: Parameters<Panel['restoreBackup']>) {
    await requireRestorable(...call);
    await call[1].alone(async (hasWaited) => {
      if (hasWaited) await requireRestorable(...call);
      await begin(...call);
    });
  }

  return (server, restore, requestId) =>
    answerWithin(waitMs, restoreBackup(server, restore, requestId)).catch(rethrowFor(requestOf(restore)));
}

const requestOf = ({ deletesFiles }: BackupRestore) => (deletesFiles ? 'emptyingRestore' : 'restore');

interface CommandDeps {
  liveState: LiveState;
  shutOut: ShutOut;
  sendWrite(write: ServerWrite): Promise<void>;
  waitMs: number;
}

/** Looks first where the panel would accept a command to a stopped server. */
const createSendCommand =
  ({ liveState, shutOut, sendWrite, waitMs }: CommandDeps): Panel['sendCommand'] =>
  async (server, command, requestId) => {
    await shutOut.refuseCall(server, requestId).catch(rethrowFor('command'));
    const { acceptsCommandsWhenOff: isLookNeeded } = server;
    if (isLookNeeded && (await liveState.isOff(server, requestId).catch(rethrowFor('read')))) throw stopped();
    const sent = sendWrite({ server, rest: 'command', json: { command }, requestId });
    await answerWithin(waitMs, sent).catch(refuseStopped).catch(rethrowFor('command'));
  };

/** Pterodactyl's answer to a command for a stopped server. */
const refuseStopped = (error: unknown) => {
  const isStopped = error instanceof PanelFailure && error.details.upstreamCode === 'HttpException';
  throw isStopped && error.details.status === 502 ? stopped(error) : error;
};

const stopped = (cause?: PanelFailure) => badRequest('The server is not running', cause);

const untraced: TraceCall = (_traced, call) => call({});

/** Origin and path only: a password in the configured URL must not reach customers in `panel_url`. */
function baseUrl(url: string) {
  const { origin, pathname } = new URL(url);
  return withoutEndSlash(`${origin}${pathname}`);
}

type ClientDeps = Pick<
  PterodactylPanelOptions,
  'clock' | 'log' | 'onOutcome' | 'onConsoleRead' | 'traceCall' | 'sharedChanges' | 'findLinked' | 'limiter'
> & {
  /** Whether the calls of customers say that the panel works. */
  isWorking?: () => boolean;
};

type PanelConfig = Pick<
  PterodactylPanelOptions,
  | 'url'
  | 'publicUrl'
  | 'kind'
  | 'applicationKey'
  | 'clientKey'
  | 'nodeCalls'
  | 'callsPerCustomer'
  | 'checkAgainMs'
>;

interface OpenPanel {
  panel: Panel;
  isDemo: boolean;
  stop(): Promise<void>;
}

/** Opens the configured panel, or the demo panel when none is configured; both behind the same client. */
export async function openPanel(
  config: PanelConfig | null,
  { isWorking = () => true, ...deps }: ClientDeps,
): Promise<OpenPanel> {
  if (config) {
    const settings = toSettings({ ...config, ...deps });
    const stopChecking = checkKeys(settings, isWorking);
    return { panel: createPanel(settings), isDemo: false, stop: async () => stopChecking() };
  }
  const { stop, ...demo } = await startDemoPanel({ clock: deps.clock });
  // The demo panel serves no other customers who would have to be protected.
  const panel = createPterodactylPanel({ ...demo, kind: 'pterodactyl', callsPerCustomer: 0, ...deps });
  return { panel, isDemo: true, stop };
}
