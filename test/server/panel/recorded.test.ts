/** The emulated panel and node answer like the recorded Pterodactyl 1.11 and its Wings: `recorded/`. */
import { expect } from 'chai';
import { WebSocket } from 'ws';
import type { BackupAttributes } from '../../../server/panel/demo/panel.ts';
import type { ServerAttributes } from '../../support/panel/attributes.ts';
import { startStandInPanel } from '../../support/stand-in-panel.ts';
import { useStarted } from '../../support/use-started.ts';
import {
  expectShape,
  itAnswersAsRecorded,
  jsonOf,
  ownerIn,
  type RecordedCall,
  readRecording,
} from './recording.ts';

interface RecordedSocket {
  name: string;
  frames: { sent?: Frame; received?: Frame; error?: string }[];
}

interface Frame {
  event: string;
  args?: unknown[];
}

const calls: RecordedCall[] = readRecording('calls');
const sockets: RecordedSocket[] = readRecording('sockets');
const { owner, servers } = ownerIn(calls);

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

/** The panel's data at the time of the recording. */
async function startRecordedPanel() {
  const panel = await startStandInPanel();
  panel.servers.set(owner.id, servers);
  panel.users.push(owner, ...jsonOf(calls, 'users by e-mail').data.map(({ attributes }) => attributes));
  const backups: BackupAttributes[] = jsonOf(calls, 'backups: main').data.map(({ attributes }) => attributes);
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

describe('the emulated Pterodactyl', () => {
  const panel = useStarted(startRecordedPanel);

  itAnswersAsRecorded(calls, panel);

  describe('on its node', () => {
    /** The frames up to the one named last, in order. */
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
      it(`sends the recorded frames: ${name}`, async () => {
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
        const { socket: address } = panel.consoleAccess(serverOf('main').uuid, new URL(panel.url).host);
        const socket = new WebSocket(address, { origin: `${panel.url}${suffix}` });
        const { message } = await new Promise<Error>((resolve) => socket.on('error', resolve));
        expect(message).to.equal(sockets.find((one) => one.name === name)?.frames[0]?.error);
      });
  });
});
