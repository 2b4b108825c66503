/** Calls of the client API about one server, and how long their callers wait. */
import { notFound } from '../../routers/errors.ts';
import type { OwnedServer } from '../../routers/panel-port.ts';
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import { type FailureKind, type PanelAction, PanelFailure, rethrowFor } from './failures.ts';
import { type PanelHttpRequest, pathSegment } from './http-client.ts';
import { createPanelApi, type ReadResponse } from './panel-api.ts';
import type { CalledServer } from './panel-call.ts';
import type { PanelSettings } from './settings.ts';

export interface ServerCall extends Omit<PanelHttpRequest, 'path'> {
  server: CalledServer;
  /** The path after the server's own; empty for the panel's view of the server. */
  rest?: string;
  /** False if the panel answers by itself, even while the node is gone. */
  needsNode?: boolean;
}

export type ServerApi = ReturnType<typeof createServerApi>;

export function createServerApi(settings: PanelSettings) {
  const { send, ...api } = createPanelApi('client', settings);
  return {
    ...api,
    async send<Value>(
      { server, rest = '', needsNode = true, ...request }: ServerCall,
      read: ReadResponse<Value>,
    ): Promise<Value> {
      const path = serverPath(server.identifier, rest);
      const isWrite =
        request.json !== undefined || request.text !== undefined || request.method !== undefined;
      const kind = `${request.method ?? (isWrite ? 'POST' : 'GET')} ${kindOf(rest)}`;
      const customerId = server.isWatched ? null : server.ownerId;
      const call = { api: 'client', server, customerId, kind, isWrite, needsNode } as const;
      return send({ ...request, path, call }, read);
    },
  };
}

/** @param waitMs includes the wait for the customer's other writes */
export const createWrite =
  ({ limitWrites }: Pick<PanelSettings, 'limitWrites'>, timeoutKind?: FailureKind) =>
  <Args extends unknown[], Result>(
    request: PanelAction,
    waitMs: number,
    run: (server: CalledServer, ...args: Args) => Promise<Result>,
  ) =>
  (server: OwnedServer, ...args: Args): Promise<Result> => {
    const called = { ...server, write: { isBegun: false, endsAt: performance.now() + waitMs } };
    const written = limitWrites(server.ownerId, () => run(called, ...args));
    return answerWithin(waitMs, written, timeoutKind).catch(rethrowFor(request));
  };

const kindOf = (rest: string) =>
  rest.replace(/\?.*/, '').replace(/\b(backups|schedules|tasks)\/[^/]+/g, '$1/:id');

function serverPath(identifier: string, rest: string): string {
  const segment = pathSegment(identifier);
  if (segment === null) throw notFound('Server');
  return `api/client/servers/${segment}${rest && `/${rest}`}`;
}

/** @throws {PanelFailure} of this kind after `ms` milliseconds, while the call continues */
export const answerWithin = <Value>(
  ms: number,
  call: Promise<Value>,
  kind: FailureKind = 'nodeTimedOut',
): Promise<Value> =>
  withTimeout(ms, call).catch((error: unknown) => {
    throw error instanceof TimeoutError ? new PanelFailure(kind, { reason: error.message }) : error;
  });
