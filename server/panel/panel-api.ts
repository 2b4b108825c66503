/**
 * One of the panel's two APIs. Each call passes the gate, is sent if the evidence allows it, and adds to the evidence. A
 * failure of the client API that seems to be about one server may mean that our key has no rights, or that the panel is
 * down. A call for our key's account, which is about no server, then decides.
 */
import { z } from 'zod';
import { createCache } from '../../models/support/cache.ts';
import { notFound } from '../../routers/errors.ts';
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import { diagnose, diagnosePanel, isNotFound, mayBeOfNode } from './diagnose.ts';
import { failureTable, isOutage, type PanelApi, PanelFailure } from './failures.ts';
import {
  createPanelHttpClient,
  type PanelHttpClient,
  type PanelHttpRequest,
  type PanelResponse,
} from './http-client.ts';
import type { PanelCall } from './panel-call.ts';
import type { PanelSettings } from './settings.ts';

interface PanelApiRequest extends PanelHttpRequest {
  call?: PanelCall;
  /** Set for a call about no server whose rate limit may differ from the API's, such as `GET websocket`. */
  kind?: string;
  customerId?: PanelCall['customerId'];
}

/** Parses a response, or throws PanelFailure or ApiError. */
export type ReadResponse<Value> = (response: PanelResponse) => Value;

export type PanelApiClient = ReturnType<typeof createPanelApi>;

export function createPanelApi(api: PanelApi, settings: PanelSettings) {
  const { evidence, gate, log } = settings;
  const askPanel = createAskPanel(api, settings);
  const ofNoServer = { api, server: null, isWrite: false, needsNode: false } as const;

  async function send<Value>(
    { customerId = null, kind = '', call = { ...ofNoServer, kind, customerId }, ...request }: PanelApiRequest,
    read: ReadResponse<Value>,
  ): Promise<Value> {
    try {
      return await gate.run(call, async () => {
        await evidence.countForCustomer(call);
        return evidence.sendAndRecord(call, () => askPanel(call, request, read));
      });
    } catch (error) {
      const { operatorMessage } = error instanceof PanelFailure ? failureTable[error.kind] : {};
      if (error instanceof PanelFailure && operatorMessage)
        log.error({ api, requestId: request.requestId, ...error.details }, operatorMessage);
      throw error;
    }
  }

  return {
    send,
    /** @throws {PanelFailure} if only the reserve for writes is left of the panel's rate limit */
    requireReads: () => evidence.requireReads(api),
  };
}

function createAskPanel(api: PanelApi, settings: PanelSettings) {
  const { evidence } = settings;
  const http = createPanelHttpClient(api, settings);
  const account = api === 'client' ? createAccountCheck(http, settings) : null;
  return async <Value>(call: PanelCall, request: PanelHttpRequest, read: ReadResponse<Value>) => {
    try {
      const response = await http(request);
      await account?.check(request, response);
      evidence.recordRateLimit(call, response.rateLimit);
      return read(response);
    } catch (error) {
      const failure = call.needsNode ? toNodeTimeout(error) : error;
      if (account && isOutage(failure) && !failure.concernsNoServer && evidence.needsConfirmation(call))
        failure.concernsNoServer = await account.isDown(request.requestId);
      throw failure;
    }
  };
}

/** Statuses of a proxy that gave up waiting for the panel; the second is Cloudflare's. */
const gatewayTimeouts: readonly unknown[] = [504, 524];

/** The panel waits for its node, so a late answer is no evidence about the panel. */
function toNodeTimeout(error: unknown) {
  if (!(error instanceof PanelFailure) || error.concernsNoServer) return error;
  const { kind, details } = error;
  const isLate = kind === 'timedOut' || (kind === 'failed' && gatewayTimeouts.includes(details.status));
  return isLate ? new PanelFailure('nodeTimedOut', details) : error;
}

export const accountPath = 'api/client/account';

/** Each 404 needs this check. Our key's rights rarely change, and servers are deleted often. */
const accountTtlMs = 60_000;
/** A panel that answered this recently counts as up. Servers that always fail cost one more call a second. */
const upTtlMs = 1_000;

const Account = z.object({
  attributes: z.object({ admin: z.boolean().optional(), root_admin: z.boolean().optional() }),
});

function createAccountCheck(http: PanelHttpClient, { clock, listTtlMs, readTimeoutMs }: PanelSettings) {
  const account = createCache<'own', true>({
    clock,
    entriesMax: 1,
    load: (_, requestId) => askForAccount(http, requestId),
  });
  return {
    async check(request: PanelHttpRequest, response: PanelResponse): Promise<void> {
      if (request.path === accountPath) requireRights(response);
      else if (isNotFound(response)) await account.get('own', { ...request, ageMsMax: accountTtlMs });
      else if (mayBeOfNode(response)) await account.get('own', { ...request, ageMsMax: listTtlMs });
    },
    /** Whether a call about no server meets an outage now. */
    async isDown(requestId: string): Promise<boolean> {
      const asked = withTimeout(readTimeoutMs, account.get('own', { requestId, ageMsMax: upTtlMs }));
      return asked.then(
        () => false,
        (failure: unknown) => isOutage(failure) || failure instanceof TimeoutError,
      );
    },
  };
}

async function askForAccount(http: PanelHttpClient, requestId: string): Promise<true> {
  try {
    const response = await http({ path: accountPath, requestId });
    requireRights(response);
    if (response.status !== 200 || response.body === undefined) throw diagnosePanel(response);
    return true;
  } catch (error) {
    throw error instanceof PanelFailure ? Object.assign(error, { concernsNoServer: true }) : error;
  }
}

function requireRights({ body }: PanelResponse) {
  const { attributes } = Account.safeParse(body).data ?? {};
  if ((attributes?.admin ?? attributes?.root_admin) === false) throw new PanelFailure('keyWithoutRights');
}

/** Reads a response with one of these statuses. @throws notFound if there is no such `noun`, PanelFailure for another status */
export const expecting =
  <Value>(statuses: readonly number[], noun: string, read: (body: unknown) => Value): ReadResponse<Value> =>
  (response) => {
    if (isNotFound(response)) throw notFound(noun);
    if (!statuses.includes(response.status)) throw diagnose(response);
    return read(response.body);
  };

/** @throws {PanelFailure} for a body that does not match. An undefined body is one that was not JSON */
export function parseBody<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new PanelFailure(body === undefined ? 'unreadable' : 'malformed', {
    reason: z.prettifyError(parsed.error),
  });
}

/** The body of a successful call that needs no node. */
export function parseResponse<Output>(schema: z.ZodType<Output>, response: PanelResponse): Output {
  if (response.status !== 200) throw diagnosePanel(response);
  return parseBody(schema, response.body);
}

/** Converts the panel's times, which have an offset, to those of this API: RFC 3339 in UTC with milliseconds. */
export const panelTime = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)))
  .transform((text) => new Date(text).toISOString());
