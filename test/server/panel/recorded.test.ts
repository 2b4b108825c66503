/** The emulated panel and its node answer as a real panel and a real node were recorded to: `recorded/`. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import type {
  BackupAttributes,
  ServerAttributes,
  UserAttributes,
} from '../../../server/panel/demo/attributes.ts';
import { startStandInPanel } from '../../support/stand-in-panel.ts';
import { useStarted } from '../../support/use-started.ts';

interface RecordedCall {
  name: string;
  request: { method: string; path: string; body?: object };
  status: number;
  headers: Record<string, string>;
  json?: unknown;
}

interface RecordedSocket {
  name: string;
  frames: { sent?: Frame; received?: Frame; error?: string }[];
}

interface Frame {
  event: string;
  args?: unknown[];
}

const readLines = (name: string) =>
  readFileSync(new URL(`recorded/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const calls: RecordedCall[] = readLines('calls');
const sockets: RecordedSocket[] = readLines('sockets');

/** Of the recorded call of this name. */
const attributesOf = (name: string) =>
  calls.find((call) => call.name === name)?.json as { attributes: never; data: { attributes: never }[] };

interface OwnerAttributes extends UserAttributes {
  relationships: { servers: { data: { attributes: ServerAttributes }[] } };
}

const { relationships, ...owner }: OwnerAttributes = attributesOf('servers of a user').attributes;
const servers = relationships.servers.data.map(({ attributes }) => attributes);
const identifierOf = (name: string) =>
  calls
    .find((call) => call.name === `resources: ${name}`)
    ?.request.path.split('/')
    .at(-2) ?? '';
const serverOf = (name: string) => {
  const server = servers.find(({ identifier }) => identifier === identifierOf(name));
  if (!server) throw new Error(`no server was recorded as ${name}`);
  return server;
};

/** The panel's own data as they were when it was recorded. */
async function startRecordedPanel() {
  const panel = await startStandInPanel();
  panel.servers.set(owner.id, servers);
  panel.users.push(owner, ...attributesOf('users by e-mail').data.map(({ attributes }) => attributes));
  const backups: BackupAttributes[] = attributesOf('backups: main').data.map(({ attributes }) => attributes);
  panel.backups.set(identifierOf('main'), backups);
  panel.runStates.set(identifierOf('off'), 'offline').set(identifierOf('installing'), 'offline');
  panel.consoleLines.set(identifierOf('main'), linesOf('running'));
  panel.conditions.transferring.add(identifierOf('transfer'));
  panel.conditions.deadNodes.add(serverOf('down').node);
  return panel;
}

const linesOf = (name: string) =>
  framesOf(name, 'received')
    .filter(({ event }) => event === 'console output')
    .map(({ args }) => String(args?.[0]));

const framesOf = (name: string, way: 'sent' | 'received') =>
  (sockets.find((socket) => socket.name === name)?.frames ?? []).flatMap(({ [way]: frame }) => frame ?? []);

/** Fields and types; null may stand for a value of any type, and an empty list for any list. */
function expectShape(shown: unknown, recorded: unknown, at: string): void {
  if (shown === null || recorded === null) return;
  expect(typeof shown, at).to.equal(typeof recorded);
  if (Array.isArray(recorded)) {
    expect(shown, at).to.be.an('array');
    const [one] = shown as unknown[];
    if (one !== undefined && recorded.length > 0) expectShape(one, recorded[0], `${at}[0]`);
  } else if (recorded instanceof Object) {
    expect(Object.keys(shown as object), at).to.have.members(Object.keys(recorded));
    for (const [key, value] of Object.entries(recorded))
      expectShape((shown as Record<string, unknown>)[key], value, `${at}.${key}`);
  }
}

describe('the emulated panel', () => {
  const panel = useStarted(startRecordedPanel);

  function keyFor({ name, request }: RecordedCall) {
    if (name.includes('bad key')) return 'ptlc_wrong';
    if (name.startsWith('client key')) return panel.clientKey;
    if (name.startsWith('application key')) return panel.applicationKey;
    return request.path.startsWith('/api/client') ? panel.clientKey : panel.applicationKey;
  }

  function send(call: RecordedCall) {
    const { method, path, body } = call.request;
    const accept = call.name.startsWith('no Accept') ? '*/*' : 'application/json';
    return fetch(`${panel.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { accept, authorization: `Bearer ${keyFor(call)}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  for (const call of calls)
    it(`answers as recorded: ${call.name}`, async () => {
      const response = await send(call);
      expect(response.status).to.equal(call.status);
      const {
        location = null,
        'content-type': type = null,
        'x-ratelimit-limit': limit = null,
      } = call.headers;
      expect({
        type: response.headers.get('content-type'),
        limit: response.headers.get('x-ratelimit-limit'),
        isLeftTold: response.headers.has('x-ratelimit-remaining'),
        location: response.headers.get('location')?.replace(panel.url, '') ?? null,
      }).to.deep.equal({
        type,
        limit,
        isLeftTold: 'x-ratelimit-remaining' in call.headers,
        location: location?.replace('http://127.0.0.1', '') ?? null,
      });
      const text = await response.text();
      if (call.json === undefined) return;
      if (call.status >= 400) expect(JSON.parse(text)).to.deep.equal(call.json);
      else expectShape(JSON.parse(text), call.json, 'body');
    });

  describe('its node', () => {
    /** The frames that come until the one named last, in order. */
    async function converse(name: string, { identifier, uuid }: ServerAttributes, last: Frame | undefined) {
      const path = `${panel.url}/api/client/servers/${identifier}/websocket`;
      const response = await fetch(path, {
        headers: { accept: 'application/json', authorization: `Bearer ${panel.clientKey}` },
      });
      const { data } = (await response.json()) as { data: { token: string; socket: string } };
      const socket = new WebSocket(data.socket, { origin: panel.url });
      expect(data.socket).to.match(new RegExp(`/api/servers/${uuid}/ws$`));
      const received: Frame[] = [];
      await new Promise<void>((resolve, reject) => {
        socket.on('error', reject).on('open', () => {
          for (const { event, args } of framesOf(name, 'sent')) {
            const isToken = event === 'auth' && name !== 'badToken';
            socket.send(JSON.stringify({ event, args: isToken ? [data.token] : args }));
          }
        });
        socket.on('message', (text) => {
          received.push(JSON.parse(String(text)));
          if (received.at(-1)?.event === last?.event) resolve();
        });
      });
      socket.terminate();
      return received;
    }

    for (const [name, server] of [
      ['running', 'main'],
      ['offline', 'off'],
      ['installing', 'installing'],
      ['badToken', 'main'],
    ] as const)
      it(`sends the frames that were recorded: ${name}`, async () => {
        const recorded = framesOf(name, 'received');
        const received = await converse(name, serverOf(server), recorded.at(-1));
        for (const frame of received) {
          const alike = recorded.find(({ event }) => event === frame.event);
          if (frame.event === 'stats')
            expectShape(JSON.parse(String(frame.args?.[0])), JSON.parse(String(alike?.args?.[0])), 'stats');
          else if (frame.event === 'daemon error')
            expect(frame.args?.[0]).to.match(/^Error Event \[[\w-]{36}\]: an unexpected error/);
          else expect(recorded).to.deep.include(frame);
        }
        expect(received[0]).to.deep.include({ event: recorded[0]?.event });
        expect(new Set(received.map(({ event }) => event))).to.deep.equal(
          new Set(recorded.map(({ event }) => event)),
        );
      });

    for (const [name, suffix] of [
      ['otherOrigin', '.example'],
      ['originWithSlash', '/'],
    ] as const)
      it(`refuses the handshake as recorded: ${name}`, async () => {
        const { socket: address } = panel.consoleAccess(serverOf('main'), new URL(panel.url).host);
        const socket = new WebSocket(address, { origin: `${panel.url}${suffix}` });
        const { message } = await new Promise<Error>((resolve) => socket.on('error', resolve));
        expect(message).to.equal(sockets.find((one) => one.name === name)?.frames[0]?.error);
      });
  });
});
