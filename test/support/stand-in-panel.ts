/**
 * A provisioning panel for tests: a real HTTP server that behaves like a proper panel by default.
 *
 *     const panel = await startStandInPanel();              // { url, applicationKey, clientKey, ... }
 *     panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]); // panel user 7 owns one server
 *     panel.failWith(429, 'ThrottleRequestsException', { headers: { 'Retry-After': '30' } }); // until recover()
 *     panel.respondWith('hang');                            // never answers; 'reset' breaks the connection; or any answer
 *     panel.respondNext('reset', { status: 500 });          // the next two calls only, then as before
 *     panel.respondNext({ after: promise });                // a proper answer, once the promise is fulfilled
 *     panel.respondNext({ insteadOfDone: { status: 504 } }); // does it, and answers this
 *     panel.respondAbout('a1b2c3d4/command', 'hang');       // calls whose path has this part, until recover()
 *     panel.requests                                        // [{ method, path, headers, body, port }]
 *     panel.inProgress()                                    // the paths of calls that have no answer yet
 *     panel.signals, panel.commands                         // ['a1b2c3d4 start']: those it accepted since forget()
 *     panel.runStates.set('a1b2c3d4', 'offline');           // running by default
 *     panel.consoleLines.set('a1b2c3d4', ['a line']);       // what its node sends
 *     panel.startups.set('a1b2c3d4', { ...panelStartup(), images: [] }); // variables and images of every kind by default
 *     panel.nodeScript.intercept = (socket, event) => true; // takes over what the node does
 *     panel.limitRate({ application: 240, client: 720 }, clock); // a minute, with the limit headers
 *     panel.conditions.deadNodes.add(1);                    // and others; see PanelConditions
 *     panel.limitWorkers(5);                                // more calls than these wait
 *     panel.hangNodes(66);                                  // calls that need node 66 hang until giveUpOnNodes()
 *     panel.files.get('a1b2c3d4')?.write('/a.txt', 'text', 0); // each server's file tree, once it was read
 *     await panel.stop();
 *
 * A panel user without an entry in `servers` or `users` is unknown (404).
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  type PanelAnswer,
  type ReceivedRequest,
  readRequest,
  refusal,
  sendPanelAnswer,
} from '../../server/panel/demo/answers.ts';
import { pullExample } from './fetched-file.ts';
import {
  createState,
  type EmulatedPanel,
  findEmulatedServer,
  findNewId,
  toGameServer,
} from './panel/emulated-panel.ts';
import { answerPanelCall } from './panel/emulator.ts';
import { FileTree } from './panel/file-tree.ts';
import { EmulatedNode, type Intercept } from './panel/node.ts';
import { createLimits } from './panel-limits.ts';
import { createWorkers } from './panel-workers.ts';
import { createLinks, exampleFiles, signedUrl } from './signed-links.ts';

interface RecordedCall extends ReceivedRequest {
  /** The caller's port, which identifies the connection. */
  port: number | undefined;
}

/** The panel's reaction to a call: an answer, silence, or a broken connection. */
export type Behaviour =
  | PanelAnswer
  | { after: Promise<unknown> }
  | { insteadOfDone: PanelAnswer }
  | 'hang'
  | 'reset';

export async function startStandInPanel(dialect: EmulatedPanel['dialect'] = 'pterodactyl') {
  const script = createScript();
  const requests: RecordedCall[] = [];
  const inProgress = new Set<RecordedCall>();
  const limits = createLimits(dialect);
  let url = '';
  const state = startState({ dialect, limits, url: () => url });
  const workers = createWorkers(state);
  const http = createServer(async (req, res) => {
    const call = { ...(await readRequest(req)), port: req.socket.remotePort };
    const openLink = state.links.find(call);
    if (openLink) return behave(state.nodeScript.download ?? undefined, res, openLink);
    requests.push(call);
    const limited = limits.count(call, res);
    if (limited) return send(res, limited);
    inProgress.add(call);
    res.once('close', () => inProgress.delete(call));
    await workers.run(call, (gaveUp) =>
      behave(gaveUp ? undefined : script.next(call), res, () => answerPanelCall(call, gaveUp ?? state)),
    );
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // a listening TCP server has a port
  http.on('upgrade', (...request) => state.node.accept(...request));
  return {
    ...state,
    url,
    requests,
    ...script.controls,
    ...workers.controls,
    limitRate: limits.set,
    inProgress: () => [...inProgress].map(({ path }) => path),
    useClock: (clock: () => number) => void Object.assign(state, { clock }),
    forget() {
      requests.length = 0;
      state.signals.length = 0;
      state.commands.length = 0;
    },
    /** Closes idle connections, as servers do after a while. */
    closeResting: () => http.closeIdleConnections(),
    /** Breaks every connection, including hanging ones. */
    closeAll: () => http.closeAllConnections(),
    async stop() {
      workers.controls.giveUpOnNodes();
      http.close();
      http.closeAllConnections();
      state.node.stop();
    },
  };
}

function send(res: ServerResponse, { status = 200, headers = {}, body }: PanelAnswer) {
  if (body instanceof Readable) body.pipe(res.writeHead(status, headers));
  else sendPanelAnswer(res, { status, headers, ...(body !== undefined && { body }) });
}

interface StateOptions {
  dialect: EmulatedPanel['dialect'];
  limits: ReturnType<typeof createLimits>;
  url(): string;
}

function startState({ dialect, limits, url }: StateOptions) {
  const signals: string[] = [];
  const commands: string[] = [];
  const runStates = new Map<string, string>();
  const consoleLines = new Map<string, string[]>();
  const files = new Map<string, FileTree>();
  const script: NodeScript = {
    intercept: () => false,
    origin: null,
    ownUrl: null,
    access: {},
    ...{ download: null, archiveUrl: null, pull: pullExample },
  };
  const links = createLinks();
  const find = (uuid: string) => {
    const found = findEmulatedServer(uuid, panel);
    return found && toGameServer(found, panel);
  };
  const node = new EmulatedNode(find, {
    origin: () => script.origin ?? script.ownUrl ?? url(),
    intercept: (...message) => script.intercept(...message),
  });
  const initial = createState();
  if (dialect === 'pelican') initial.conditions.serverLimits.add('websocket').add('restore');
  const panel: EmulatedPanel = {
    dialect,
    applicationKey: `${dialect === 'pelican' ? 'papp_' : 'ptla_'}stand-in-application-key`,
    clientKey: `${dialect === 'pelican' ? 'pacc_' : 'ptlc_'}stand-in-client-key`,
    clock: Date.now,
    ...initial,
    servers: new Map(),
    newId: (kind) => findNewId(kind, panel),
    // Tests decide when a backup is ready or a restore ends.
    after: () => {},
    rateLimitOf: limits.left,
    backupUrl: () => script.archiveUrl ?? signedUrl,
    filesOf({ identifier }) {
      const tree = files.get(identifier) ?? new FileTree(exampleFiles);
      files.set(identifier, tree);
      return tree;
    },
    issueToken: links.admit,
    consoleAccess: (uuid, host) => ({
      ...node.issueToken(uuid, host, script.ownUrl ?? url()),
      ...script.access,
    }),
    linesOf: ({ identifier }) => consoleLines.get(identifier) ?? [],
    statsOf: ({ identifier }) => measure(runStates.get(identifier) ?? 'running'),
    onPull: (...pull) => script.pull(...pull),
    onSignal: (identifier, signal) => signals.push(`${identifier} ${signal}`),
    onCommand: (identifier, command) => commands.push(`${identifier} ${command}`),
  };
  return { ...panel, signals, commands, files, runStates, consoleLines, node, links, nodeScript: script };
}

interface NodeScript {
  /** Takes over what the node does with a message. */
  intercept: Intercept;
  /** The panel's own address, if `url` is another one. */
  ownUrl: string | null;
  /** The panel's address in the node's configuration; null: the real one. */
  origin: string | null;
  /** False attributes of the node in the panel's answers. */
  access: { token?: string; socket?: string };
  /** The node's reaction to links to files; null: that of a real node. */
  download: Behaviour | null;
  pull: EmulatedPanel['onPull'];
  /** Where a link to a backup leads; null: to no machine. */
  archiveUrl: string | null;
}

function measure(current_state: string) {
  const isUp = current_state !== 'offline';
  const resources = {
    memory_bytes: isUp ? 588_701_696 : 0,
    cpu_absolute: isUp ? 12.34 : 0,
    disk_bytes: 130_156_361,
    network_rx_bytes: isUp ? 694_220 : 0,
    network_tx_bytes: isUp ? 337_090 : 0,
    uptime: isUp ? 86_400_000 : 0,
  };
  return { current_state, resources };
}

function createScript() {
  const queued: Behaviour[] = [];
  const byPath = new Map<string, Behaviour>();
  let standing: Behaviour | undefined;
  const controls = {
    respondAbout: (pathPart: string, behaviour: Behaviour) => void byPath.set(pathPart, behaviour),
    respondNext: (...behaviours: Behaviour[]) => queued.push(...behaviours),
    respondWith(behaviour: Behaviour) {
      standing = behaviour;
    },
    failWith(status: number, code: string, { detail, headers = {} }: FailureOptions = {}) {
      standing = { ...refusal(status, code, detail), headers };
    },
    recover() {
      standing = undefined;
      queued.length = 0;
      byPath.clear();
    },
  };
  const about = ({ path }: ReceivedRequest) => [...byPath].find(([part]) => path.includes(part))?.[1];
  return { next: (call: ReceivedRequest) => about(call) ?? queued.shift() ?? standing, controls };
}

interface FailureOptions {
  detail?: string;
  headers?: Record<string, string>;
}

async function behave(
  behaviour: Behaviour | undefined,
  res: ServerResponse,
  properAnswer: () => PanelAnswer | Promise<PanelAnswer>,
) {
  if (behaviour === 'hang') return;
  if (behaviour === 'reset') {
    res.socket?.resetAndDestroy();
    return;
  }
  if (behaviour === undefined) return send(res, await properAnswer());
  if ('insteadOfDone' in behaviour) {
    await properAnswer();
    return send(res, behaviour.insteadOfDone);
  }
  if (!('after' in behaviour)) return send(res, behaviour);
  await behaviour.after;
  send(res, await properAnswer());
}

/** Attributes of a server on which a test may make many backups. */
export const manyBackups = { databases: 5, allocations: 5, backups: 1_000 };
