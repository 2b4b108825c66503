/** One of the panel's two APIs: each call goes when the evidence allows it, and adds to the evidence. */

import { z } from 'zod';
import { notFound } from '../../routers/errors.ts';
import { createClientHttp } from './client-http.ts';
import { diagnose, diagnosePanel, isNotFound } from './diagnose.ts';
import { failureTable, type PanelApi, PanelFailure } from './failures.ts';
import { createPanelHttpClient, type PanelHttpRequest, type PanelResponse } from './http-client.ts';
import type { PanelSettings } from './options.ts';
import type { PanelCall } from './panel-call.ts';

interface PanelApiRequest extends PanelHttpRequest {
  /** Of a call about a server. */
  call?: PanelCall;
  /** Of a call whose failure says nothing of the others, though it names no server. */
  kind?: string;
  /** Whose call it is, where it is a customer's. */
  customerId?: PanelCall['customerId'];
}

/** Makes a value of a response, or throws PanelFailure or ApiError. */
export type ReadBody<Value> = (response: PanelResponse) => Value;

export function createPanelApi(api: PanelApi, settings: PanelSettings) {
  const { evidence } = settings;
  const http = api === 'client' ? createClientHttp(settings) : createPanelHttpClient(api, settings);
  const ofNoServer = { api, server: null, isWrite: false, needsNode: false } as const;

  async function send<Value>(
    { customerId = null, kind = '', call = { ...ofNoServer, kind, customerId }, ...request }: PanelApiRequest,
    read: ReadBody<Value>,
  ): Promise<Value> {
    evidence.require(call);
    await evidence.count(call);
    try {
      return await evidence.watch(call, async () => {
        try {
          const response = await http(request);
          evidence.noteLimit(call, response.rateLimit);
          return read(response);
        } catch (error) {
          throw call.needsNode ? blameNode(error) : error;
        }
      });
    } catch (error) {
      if (error instanceof PanelFailure)
        alertOperator(error, { api, requestId: request.requestId }, settings);
      throw error;
    }
  }

  return {
    send,
    /** @throws {PanelFailure} where nothing but the reserve for writes is left of the panel's rate limit */
    requireReads: () => evidence.requireReads(api),
  };
}

export type PanelApiClient = ReturnType<typeof createPanelApi>;

/** Reads a response of these statuses; one that says NotFound is refused as `noun`, any other as a PanelFailure. */
export const expecting =
  <Value>(statuses: readonly number[], noun: string, read: (body: unknown) => Value): ReadBody<Value> =>
  (response) => {
    if (isNotFound(response)) throw notFound(noun);
    if (!statuses.includes(response.status)) throw diagnose(response);
    return read(response.body);
  };

/** @throws {PanelFailure} for a body that does not match; undefined stands for one that could not be read */
export function parseBody<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new PanelFailure(body === undefined ? 'unreadable' : 'malformed', {
    reason: z.prettifyError(parsed.error),
  });
}

/** The body of a success of a call for which the panel asks no node. */
export function parseResponse<Output>(schema: z.ZodType<Output>, response: PanelResponse): Output {
  if (response.status !== 200) throw diagnosePanel(response);
  return parseBody(schema, response.body);
}

/** Of a proxy in front of the panel that has waited for long enough; the second is Cloudflare's. */
const gatewayTimeouts: readonly unknown[] = [504, 524];

/** The panel waits for its node: that no answer came in time shows nothing of the panel. */
function blameNode(error: unknown) {
  if (!(error instanceof PanelFailure) || error.concernsNoServer) return error;
  const { kind, details } = error;
  const isLate = kind === 'timedOut' || (kind === 'failed' && gatewayTimeouts.includes(details.status));
  return isLate ? new PanelFailure('nodeTimedOut', details) : error;
}

function alertOperator(failure: PanelFailure, fields: object, { log }: PanelSettings) {
  const { operatorMessage } = failureTable[failure.kind];
  if (operatorMessage) log.error({ ...fields, ...failure.details }, operatorMessage);
}
