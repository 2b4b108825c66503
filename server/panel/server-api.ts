/** Calls of the client API about one server. Each of them passes the gate: there is no other way to make one. */
import { notFound } from '../../routers/errors.ts';
import type { LocatedServer } from '../../routers/panel-port.ts';
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import { PanelFailure } from './failures.ts';
import { pathSegment } from './http-client.ts';
import type { BodySink } from './http-stream.ts';
import { NodeGate } from './node-gate.ts';
import type { PanelSettings } from './options.ts';
import { createPanelApi, type ReadBody } from './panel-api.ts';

interface ServerCall {
  server: LocatedServer;
  /** What follows the server in the path; nothing for the panel's own view of it. */
  rest?: string;
  requestId: string;
  /** Makes it a write with this body. */
  json?: object;
  /** The same, as plain text. */
  text?: Buffer;
  /** In place of POST. */
  method?: 'PUT' | 'DELETE';
  /** Takes the body of a success as it arrives. */
  sink?: BodySink;
  /** False where the panel answers by itself, though the node may be gone. */
  needsNode?: boolean;
}

/** Of one node and of one customer, so that no two of them take the panel's workers from all others. */
const callsOfEach = 2;

export type ServerApi = ReturnType<typeof createServerApi>;

export function createServerApi(settings: PanelSettings) {
  const { send, ...budget } = createPanelApi('client', settings);
  const bounds = { total: settings.nodeCalls, each: callsOfEach };
  const waitForNodes = new NodeGate(bounds, settings);
  // A place of their own: what needs no node goes on while nodes hang.
  const waitForPanel = new NodeGate(bounds, settings);
  return {
    ...budget,
    async send<Value>({ server, rest, needsNode = true, ...call }: ServerCall, read: ReadBody<Value>) {
      const request = { ...call, path: serverPath(server.identifier, rest), needsNode };
      const gate = needsNode ? waitForNodes : waitForPanel;
      const isWrite = call.json !== undefined || call.text !== undefined || call.method !== undefined;
      return gate.run({ server, isWrite, needsNode }, async () => {
        // Others may have used up what was left while it waited.
        if (!isWrite) budget.requireReads();
        return send(request, read);
      });
    },
  };
}

/** @throws notFound for an identifier that fits in no path */
function serverPath(identifier: string, rest: string | undefined): string {
  const segment = pathSegment(identifier);
  if (segment === null) throw notFound('Server');
  return `api/client/servers/${segment}${rest === undefined ? '' : `/${rest}`}`;
}

/** What a caller is told who has waited long enough; the call goes on. */
export const answerWithin = <Value>(ms: number, call: Promise<Value>): Promise<Value> =>
  withTimeout(ms, call).catch((error: unknown) => {
    throw error instanceof TimeoutError ? new PanelFailure('nodeTimedOut', { reason: error.message }) : error;
  });
