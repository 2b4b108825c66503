/**
 * One of the panel's two APIs: each call goes when the evidence allows it, and adds to the evidence. The client API is asked for
 * the account of our key where a response may mean that the key has no rights, or that the panel itself fails: both look as if
 * they were about one server or its node.
 */
import { z } from 'zod';
import { createCache } from '../../models/support/cache.ts';
import { notFound } from '../../routers/errors.ts';
import { diagnose, diagnosePanel, isNotFound, mayBeOfNode } from './diagnose.ts';
import { failureTable, type PanelApi, PanelFailure } from './failures.ts';
import {
  createPanelHttpClient,
  type PanelHttpClient,
  type PanelHttpRequest,
  type PanelResponse,
} from './http-client.ts';
import type { PanelCall } from './panel-call.ts';
import type { PanelSettings } from './settings.ts';

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

export type PanelApiClient = ReturnType<typeof createPanelApi>;

export function createPanelApi(api: PanelApi, settings: PanelSettings) {
  const { evidence, log } = settings;
  const bare = createPanelHttpClient(api, settings);
  const http = api === 'client' ? lookingAtAccount(bare, settings) : bare;
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
      const { operatorMessage } = error instanceof PanelFailure ? failureTable[error.kind] : {};
      if (error instanceof PanelFailure && operatorMessage)
        log.error({ api, requestId: request.requestId, ...error.details }, operatorMessage);
      throw error;
    }
  }

  return {
    send,
    /** @throws {PanelFailure} where nothing but the reserve for writes is left of the panel's rate limit */
    requireReads: () => evidence.requireReads(api),
  };
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

export const accountPath = 'api/client/account';

/** Rights are seldom changed, and servers are deleted often. */
const accountTtlMs = 60_000;

const Account = z.object({
  attributes: z.object({ admin: z.boolean().optional(), root_admin: z.boolean().optional() }),
});

/** @throws {PanelFailure} where the key has no rights or the panel fails */
function lookingAtAccount(http: PanelHttpClient, { clock, listTtlMs }: PanelSettings): PanelHttpClient {
  const account = createCache<'own', true>({
    clock,
    entriesMax: 1,
    load: (_, requestId) => askForAccount(http, requestId),
  });
  return async (request) => {
    const response = await http(request);
    if (request.path === accountPath) requireRights(response);
    else if (isNotFound(response)) await account.get('own', { ...request, ageMsMax: accountTtlMs });
    else if (mayBeOfNode(response)) await account.get('own', { ...request, ageMsMax: listTtlMs });
    return response;
  };
}

async function askForAccount(http: PanelHttpClient, requestId: string): Promise<true> {
  try {
    const response = await http({ path: accountPath, requestId });
    requireRights(response);
    if (response.status !== 200) throw diagnosePanel(response);
    return true;
  } catch (error) {
    throw error instanceof PanelFailure ? Object.assign(error, { concernsNoServer: true }) : error;
  }
}

/** @throws {PanelFailure} where the panel says that the key's owner is no root administrator */
function requireRights({ body }: PanelResponse) {
  const { attributes } = Account.safeParse(body).data ?? {};
  if ((attributes?.admin ?? attributes?.root_admin) === false) throw new PanelFailure('keyWithoutRights');
}

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

/** Times as the panel writes them, with an offset, as this API shows them: RFC 3339 in UTC with milliseconds. */
export const panelTime = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)))
  .transform((text) => new Date(text).toISOString());
