/** One conversation with a node's console socket. It ends within seconds and uses bounded memory, whatever the node sends. */
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type PanelConsole, runStates } from '../../routers/panel-port.ts';
import { createLineBuffer } from './console-lines.ts';
import { PanelFailure } from './failures.ts';
import { lookUpNode, parseNodeAddress } from './node-address.ts';
import { issuerOf } from './panel-address.ts';
import { parseJson } from './parse-json.ts';
import { NodeFigures } from './resources.ts';
import type { PanelSettings } from './settings.ts';

/** The token must not be logged. */
export interface ConsoleAccess {
  token: string;
  socket: string;
}

export type ConsolePart = 'lines' | 'figures';

type SocketConsole = Pick<PanelConsole, 'state' | 'lines'> & {
  figures: NodeFigures | null;
};

/** Bounds each frame and each message. The longest line that a node sends fits, even with each character escaped. */
const messageBytesMax = 256 * 1024;
/** Bounds everything that a node sends in one conversation, including control frames. */
const conversationBytesMax = 2 * 1024 * 1024;
/** Added to the bytes of each message and control frame, because even an empty one costs time. */
const messageOverheadBytes = 512;

const Message = z.object({ event: z.string(), args: z.array(z.unknown()).nullish() });

/** The node refused access, but may accept a newer token. */
export class AccessRefused extends PanelFailure {
  constructor(reason: string) {
    super('node', { reason });
  }
}

export async function readConsoleSocket(
  access: ConsoleAccess,
  settings: Pick<PanelSettings, 'url' | 'consoleTimes'>,
  wanted: ConsolePart = 'lines',
): Promise<SocketConsole> {
  const ownUrl = issuerOf(access.token) ?? settings.url;
  const address = parseNodeAddress(access.socket, [settings.url, ownUrl]);
  const socket = new WebSocket(address, {
    // The node compares the Origin with the panel's own address.
    origin: new URL(ownUrl).origin,
    followRedirects: false,
    perMessageDeflate: false,
    maxPayload: messageBytesMax,
    // Games also write bytes that are not UTF-8. Decoding replaces them; a validation would end the connection.
    skipUTF8Validation: true,
    // Pongs to a flood of pings would stay in memory until the node reads them.
    autoPong: false,
    lookup: lookUpNode,
  });
  try {
    return await new Conversation(socket, access.token, { wanted, times: settings.consoleTimes }).outcome;
  } catch (error) {
    const reason = `console of ${address.host}: ${error instanceof Error ? error.message : 'failed'}`;
    throw error instanceof Refusal ? new AccessRefused(reason) : new PanelFailure('node', { reason });
  } finally {
    await close(socket);
  }
}

const close = (socket: WebSocket) =>
  new Promise<void>((resolve) => {
    if (socket.readyState === WebSocket.CLOSED) return resolve();
    socket.once('close', () => resolve());
    socket.terminate();
  });

class Refusal extends Error {}

type ReadOptions = { wanted: ConsolePart; times: PanelSettings['consoleTimes'] };

class Conversation {
  readonly outcome: Promise<SocketConsole>;
  readonly #socket: WebSocket;
  readonly #wanted: ConsolePart;
  readonly #times: PanelSettings['consoleTimes'];
  readonly #lines = createLineBuffer();
  readonly #whole: NodeJS.Timeout;
  #step: NodeJS.Timeout | undefined;
  #burst: NodeJS.Timeout | undefined;
  #resolve: (read: SocketConsole) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #state: string | null = null;
  #figures: NodeFigures | null = null;
  #isAuthenticated = false;
  #isReading = false;
  #jwtErrors = 0;
  #bytes = 0;

  constructor(socket: WebSocket, token: string, { wanted, times }: ReadOptions) {
    this.#socket = socket;
    this.#wanted = wanted;
    this.#times = times;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#whole = setTimeout(() => this.#break('it took too long'), times.wholeMs);
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
    socket.on('unexpected-response', (_req, { statusCode }) =>
      this.#break(`handshake: ${statusCode}`, Refusal),
    );
    // The error's message may quote the node, but never the token or a console line.
    socket.on('error', ({ message }) => this.#break(message));
  }

  #receive(text: string) {
    this.#count(messageOverheadBytes);
    const { event, args } = Message.safeParse(parseJson(text)).data ?? {};
    switch (event) {
      case 'auth success':
        this.#isAuthenticated = true;
        return this.#proceed();
      case 'status':
        this.#state = String(args?.[0]);
        return this.#proceed();
      case 'console output':
        return this.#addLine(args?.[0]);
      case 'stats':
        return this.#takeFigures(args?.[0]);
      case 'jwt error':
        this.#jwtErrors += 1;
        // Before it has authenticated us, an older node sends one of these errors for its own output.
        if (!this.#isAuthenticated && this.#jwtErrors === 1) return;
        return this.#break('the token was refused', Refusal);
      case 'token expired':
        return this.#break('the token has expired', Refusal);
      case 'daemon error':
        // Before authentication, this means that the node cannot read the token.
        return this.#break('the node could not handle the request', this.#isAuthenticated ? Error : Refusal);
    }
  }

  /** A server that is off sends no lines, so there is nothing to wait for. */
  #proceed() {
    if (!this.#isAuthenticated || this.#state === null) return;
    if (this.#state === 'offline' && this.#wanted === 'lines') return this.#finish();
    if (this.#isReading) return;
    this.#isReading = true;
    this.#restart(this.#times.firstLineMs, () => this.#finish());
    this.#send(this.#wanted === 'lines' ? 'send logs' : 'send stats', null);
  }

  #addLine(line: unknown) {
    if (!this.#isReading || this.#wanted !== 'lines' || typeof line !== 'string') return;
    this.#lines.add(line);
    this.#burst ??= setTimeout(() => this.#finish(), this.#times.burstMs);
    this.#restart(this.#times.quietMs, () => this.#finish());
  }

  #takeFigures(text: unknown) {
    if (!this.#isReading || this.#wanted !== 'figures') return;
    this.#figures = NodeFigures.safeParse(parseJson(String(text))).data ?? null;
    this.#state = this.#figures?.state ?? this.#state;
    this.#finish();
  }

  #send(event: string, arg: string | null) {
    this.#socket.send(JSON.stringify({ event, args: [arg] }), () => {});
  }

  #count(bytes: number) {
    this.#bytes += bytes;
    if (this.#bytes > conversationBytesMax) this.#break('the node sends too much');
  }

  #expect(what: string, ms: number) {
    this.#restart(ms, () => this.#break(`no ${what} in time`, this.#jwtErrors > 0 ? Refusal : Error));
  }

  #restart(ms: number, onTimeout: () => void) {
    clearTimeout(this.#step);
    this.#step = setTimeout(onTimeout, ms);
  }

  #finish() {
    this.#stop();
    const state = runStates.find((known) => known === this.#state) ?? 'unknown';
    const lines = state === 'offline' ? [] : this.#lines.read();
    this.#resolve({ state, lines, figures: this.#figures });
  }

  #break(reason: string, Failure: new (reason: string) => Error = Error) {
    if (!this.#lines.isEmpty()) return this.#finish();
    this.#stop();
    this.#reject(new Failure(reason));
  }

  #stop() {
    for (const timer of [this.#whole, this.#step, this.#burst]) clearTimeout(timer);
    // Later errors of the connection mean nothing; without a listener they would end the process.
    this.#socket.removeAllListeners().on('error', () => {});
    this.#socket.terminate();
  }
}
