/**
 * The Panel port over the HTTP API of Pterodactyl and Pelican: lists with the application key, everything about one
 * server with the client key. Every failure is thrown as an ApiError, with our message.
 */
import { badRequest } from '../../routers/errors.ts';
import type { Panel } from '../../routers/panel-port.ts';
import { withoutEndSlash } from '../setting-types.ts';
import { createBackups } from './backups.ts';
import { checkKeys } from './check-keys.ts';
import { ConsoleReader } from './console.ts';
import { startDemoPanel } from './demo/demo.ts';
import { PanelFailure, type PanelRequest, presentFailure } from './failures.ts';
import { createFindUser } from './find-user.ts';
import { createLiveState } from './live-state.ts';
import {
  type PanelSettings,
  type PterodactylPanelOptions,
  panelDefaults,
  type TraceCall,
} from './options.ts';
import { createOwnAddress } from './own-address.ts';
import { createPanelApi, expecting, type PanelApiClient, serverPath } from './panel-api.ts';
import { createServerLists } from './server-lists.ts';

/** Makes no call until it is used. Throws TypeError when the URL is invalid. */
export function createPterodactylPanel(options: PterodactylPanelOptions): Panel {
  const settings = toSettings(options);
  const client = createPanelApi('client', settings);
  const application = createPanelApi('application', settings);
  const findUser = createFindUser(application, settings);
  const listServers = createServerLists(application, settings);
  const liveState = createLiveState(client, settings);
  const backups = createBackups(client, settings);
  const consoles = new ConsoleReader(client, settings);

  const sendWrite = createSendWrite(client, liveState);

  return {
    findUserId: (...call) => findUser(...call).catch(rethrowFor('read')),
    listServers: (...call) => listServers(...call).catch(rethrowFor('read')),
    sendPower: (identifier, signal, requestId) =>
      sendWrite({ identifier, rest: 'power', json: { signal }, requestId }).catch(rethrowFor('power')),
    getResources: (...call) => liveState.get(...call).catch(rethrowFor('read')),
    getStates: liveState.getMany,
    readConsole: (...call) => consoles.get(...call).catch(rethrowFor('read')),
    listBackups: (...call) => backups.list(...call).catch(rethrowFor('read')),
    createBackup: (...call) => backups.create(...call).catch(rethrowFor('backup')),
    getBackupLink: (...call) => backups.getLink(...call).catch(rethrowFor('read')),
    sendCommand: (identifier, command, requestId) =>
      sendWrite({ identifier, rest: 'command', json: { command }, requestId })
        .catch(refuseStopped)
        .catch(rethrowFor('command')),
  };
}

/** @throws {TypeError} for an invalid URL */
function toSettings(options: PterodactylPanelOptions): PanelSettings {
  const { traceCall = untraced, onConsoleRead = () => {} } = options;
  const publicUrl = options.publicUrl && baseUrl(options.publicUrl);
  const url = baseUrl(options.url);
  return {
    ...panelDefaults,
    onOutcome: () => {},
    ...options,
    traceCall,
    onConsoleRead,
    publicUrl,
    url,
    ownAddress: createOwnAddress(url, publicUrl),
  };
}

interface ServerWrite {
  identifier: string;
  rest: 'power' | 'command';
  json: object;
  requestId: string;
}

/** Sends a write once; afterwards the live state is read again. */
const createSendWrite =
  (client: PanelApiClient, liveState: { drop(identifier: string): void }) =>
  async ({ identifier, rest, ...request }: ServerWrite): Promise<void> => {
    const path = serverPath(identifier, rest);
    await client
      .send(
        { path, ...request },
        expecting([204], 'Server', () => {}),
      )
      .finally(() => liveState.drop(identifier));
  };

/** Pterodactyl's answer to a command for a stopped server. */
const refuseStopped = (error: unknown) => {
  const isStopped = error instanceof PanelFailure && error.details.upstreamCode === 'HttpException';
  throw isStopped && error.details.status === 502 ? badRequest('The server is not running', error) : error;
};

const untraced: TraceCall = (_traced, call) => call({});

/** Origin and path only: a password in the configured URL must not reach customers in `panel_url`. */
function baseUrl(url: string) {
  const { origin, pathname } = new URL(url);
  return withoutEndSlash(`${origin}${pathname}`);
}

const rethrowFor = (request: PanelRequest) => (error: unknown) => {
  throw error instanceof PanelFailure ? presentFailure(error, request) : error;
};

type ClientDeps = Pick<
  PterodactylPanelOptions,
  'clock' | 'log' | 'onOutcome' | 'onConsoleRead' | 'traceCall'
>;

type PanelConfig = Pick<
  PterodactylPanelOptions,
  'url' | 'publicUrl' | 'kind' | 'applicationKey' | 'clientKey'
>;

export interface OpenPanel {
  panel: Panel;
  isDemo: boolean;
  stop(): Promise<void>;
}

/** Opens the configured panel, or the demo panel when none is configured; both behind the same client. */
export async function openPanel(config: PanelConfig | null, deps: ClientDeps): Promise<OpenPanel> {
  if (config) {
    const options = { ...config, ...deps };
    const stopChecking = checkKeys(toSettings(options));
    return { panel: createPterodactylPanel(options), isDemo: false, stop: async () => stopChecking() };
  }
  const { stop, ...demo } = await startDemoPanel({ clock: deps.clock });
  const panel = createPterodactylPanel({ ...demo, kind: 'pterodactyl', ...deps });
  return { panel, isDemo: true, stop };
}
