/**
 * One conversation with a node's console socket: connects, authenticates, reads the newest lines and closes, all within
 * seconds and within bounds of memory, whatever the node sends.
 */
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type PanelConsole, runStates } from '../../routers/panel-port.ts';
import { createLineBuffer } from './console-lines.ts';
import { PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { issuerOf } from './own-address.ts';

/** Where a console is read, and what admits to it; the token must not be logged. */
interface ConsoleAccess {
  token: string;
  socket: string;
}

type SocketConsole = Pick<PanelConsole, 'state' | 'lines'>;

type SocketSettings = Pick<PanelSettings, 'url' | 'consoleTimes'>;

/** Of one frame and of one message: the longest line a node sends, with each character escaped. */
const messageBytesMax = 256 * 1024;
/** Of all that a node sends in one conversation, control frames included. */
const conversationBytesMax = 2 * 1024 * 1024;
/** Counted for each message and control frame beside its bytes: an empty one costs time too. */
const messageOverheadBytes = 512;

const Message = z.object({ event: z.string(), args: z.array(z.unknown()).nullish() });

/** @throws {PanelFailure} `node` when nothing could be read */
export async function readConsoleSocket(
  access: ConsoleAccess,
  settings: SocketSettings,
): Promise<SocketConsole> {
  const ownUrl = issuerOf(access.token) ?? settings.url;
  const address = parseNodeAddress(access.socket, [settings.url, ownUrl]);
  const socket = new WebSocket(address, {
    // The node compares it with the panel's own address.
    origin: new URL(ownUrl).origin,
    followRedirects: false,
    perMessageDeflate: false,
    maxPayload: messageBytesMax,
    // Games write what is not UTF-8; it is replaced.
    skipUTF8Validation: true,
    // Answers to a flood of pings would be held until the node reads them.
    autoPong: false,
    lookup: lookUpNode,
  });
  try {
    return await new Conversation(socket, access.token, settings.consoleTimes).outcome;
  } catch (error) {
    const reason = `console of ${address.host}: ${error instanceof Error ? error.message : 'failed'}`;
    throw new PanelFailure('node', { reason });
  } finally {
    await close(socket);
  }
}

/** Ends when the connection is closed: nothing of it is left. */
const close = (socket: WebSocket) =>
  new Promise<void>((resolve) => {
    if (socket.readyState === WebSocket.CLOSED) return resolve();
    socket.once('close', () => resolve());
    socket.terminate();
  });

class Conversation {
  readonly outcome: Promise<SocketConsole>;
  readonly #socket: WebSocket;
  readonly #times: PanelSettings['consoleTimes'];
  readonly #lines = createLineBuffer();
  readonly #whole: NodeJS.Timeout;
  #step: NodeJS.Timeout | undefined;
  #burst: NodeJS.Timeout | undefined;
  #resolve: (read: SocketConsole) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #state: string | null = null;
  #isAuthenticated = false;
  #isReading = false;
  #jwtErrors = 0;
  #bytes = 0;

  constructor(socket: WebSocket, token: string, times: PanelSettings['consoleTimes']) {
    this.#socket = socket;
    this.#times = times;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#whole = setTimeout(() => this.#break('the time was over'), times.wholeMs);
    this.#expect('handshake', times.handshakeMs);
    socket.on('upgrade', ({ socket: stream }) => stream.on('data', ({ length }) => this.#count(length)));
    socket.on('open', () => {
      this.#expect('authentication', times.authMs);
      this.#send('auth', token);
    });
    socket.on('message', (data) => this.#receive(String(data)));
    socket.on('ping', () => this.#count(messageOverheadBytes));
    socket.on('pong', () => this.#count(messageOverheadBytes));
    socket.on('close', (code) => this.#break(`closed with ${code}`));
    // Its message may quote the node, but neither the token nor a line.
    socket.on('error', ({ message }) => this.#break(message));
  }

  readonly #handlers = new Map<string, (arg: unknown) => void>([
    [
      'auth success',
      () => {
        this.#isAuthenticated = true;
        this.#proceed();
      },
    ],
    [
      'status',
      (state) => {
        this.#state = String(state);
        this.#proceed();
      },
    ],
    ['console output', (line) => this.#addLine(line)],
    [
      'jwt error',
      () => {
        this.#jwtErrors += 1;
        // An older node sends one for output of its own before it has authenticated us.
        if (this.#isAuthenticated || this.#jwtErrors > 1) this.#break('the token was refused');
      },
    ],
    ['daemon error', () => this.#break('the node could not handle the request')],
    ['token expired', () => this.#break('the token has expired')],
  ]);

  #receive(text: string) {
    this.#count(messageOverheadBytes);
    const message = parseMessage(text);
    if (message) this.#handlers.get(message.event)?.(message.args?.[0]);
  }

  /** Asks for the lines once we are authenticated and the state is known; a server that is off sends none. */
  #proceed() {
    if (!this.#isAuthenticated || this.#state === null) return;
    if (this.#state === 'offline') return this.#finish();
    if (this.#isReading) return;
    this.#isReading = true;
    this.#restart(this.#times.firstLineMs, () => this.#finish());
    this.#send('send logs', null);
  }

  #addLine(line: unknown) {
    if (!this.#isReading || typeof line !== 'string') return;
    this.#lines.add(line);
    this.#burst ??= setTimeout(() => this.#finish(), this.#times.burstMs);
    this.#restart(this.#times.quietMs, () => this.#finish());
  }

  #send(event: string, arg: string | null) {
    this.#socket.send(JSON.stringify({ event, args: [arg] }), () => {});
  }

  #count(bytes: number) {
    this.#bytes += bytes;
    if (this.#bytes > conversationBytesMax) this.#break('the node sends too much');
  }

  #expect(what: string, ms: number) {
    this.#restart(ms, () => this.#break(`no ${what} in time`));
  }

  #restart(ms: number, onTimeout: () => void) {
    clearTimeout(this.#step);
    this.#step = setTimeout(onTimeout, ms);
  }

  /** What came is all there is. */
  #finish() {
    this.#stop();
    const state = runStates.find((known) => known === this.#state) ?? 'unknown';
    this.#resolve({ state, lines: state === 'offline' ? [] : this.#lines.read() });
  }

  /** Lines that came before are worth having. */
  #break(reason: string) {
    if (!this.#lines.isEmpty()) return this.#finish();
    this.#stop();
    this.#reject(new Error(reason));
  }

  #stop() {
    for (const timer of [this.#whole, this.#step, this.#burst]) clearTimeout(timer);
    // Later errors of the connection mean nothing; without a listener they would end the process.
    this.#socket.removeAllListeners().on('error', () => {});
    this.#socket.terminate();
  }
}

function parseMessage(text: string) {
  try {
    return Message.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** No node is there, but services of the machine or of its cloud may be. */
const neverNodes = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
] as const)
  neverNodes.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  neverNodes.addSubnet(network, bits, 'ipv6');

const isNeverNode = (address: string) => neverNodes.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Unencrypted only where the panel is: the token must not be readable on the way. */
function parseNodeAddress(text: string, panelUrls: readonly string[]): URL {
  const address = URL.canParse(text) ? new URL(text) : null;
  const isEncrypted = panelUrls.some((url) => url.startsWith('https:'));
  const protocols = isEncrypted ? ['wss:'] : ['wss:', 'ws:'];
  const ip = address?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const isUsable =
    address &&
    protocols.includes(address.protocol) &&
    !address.username &&
    !address.password &&
    !address.hash;
  if (!isUsable || (isIP(ip) && isNeverNode(ip)))
    throw new PanelFailure('malformed', { reason: 'the address of a console is not one of a node' });
  return address;
}

const lookUpNode: LookupFunction = (hostname, options, done) =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || !first) return done(error ?? new Error('no address'), '');
    if (addresses.some(({ address }) => isNeverNode(address)))
      return done(new Error('not the address of a node'), '');
    return options.all ? done(null, addresses) : done(null, first.address, first.family);
  });
