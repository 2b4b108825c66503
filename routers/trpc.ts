/** tRPC, initialised once: `endpoint(meta)` is the only way to begin a procedure of the public API. */
import { initTRPC, type TRPCErrorShape, type TRPCRouterBuilder } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { Caller, Context } from './context.ts';
import { asApiError, insufficientScope, unauthorized } from './errors.ts';
import type { Scope } from './scopes.ts';

/** How an operation shows as an MCP tool; hints as the protocol defines them, all four stated. */
export interface ToolMeta {
  name: string;
  title: string;
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
  openWorld: boolean;
}

interface EndpointDescription {
  method: 'GET' | 'POST';
  /** Below /api/v1, with path parameters in braces. */
  path: `/${string}`;
  tags: [string];
  summary: string;
  description: string;
}

/** What every procedure must say of itself; bridge/ reflects it and knows nothing else. */
export interface EndpointMeta {
  openapi: EndpointDescription;
  /** Null: open to everybody, no key needed. */
  scope: Scope | null;
  /** The status of success. */
  status: 200 | 201 | 202;
  /** When this endpoint answers with one of these, beside what is true for all. */
  refusals?: Partial<Record<'bad_request' | 'not_found' | 'upstream_error', string>>;
  tool?: ToolMeta;
}

const t = initTRPC
  .context<Context>()
  .meta<object>()
  .create({
    isDev: false,
    errorFormatter: ({ error, ctx, path }) => errorShape(error, ctx?.requestId ?? '', path),
  });

/** A failure as tRPC clients see it: what they throw has this message and this `data`. */
export function errorShape(failure: unknown, requestId: string, path?: string) {
  const { apiCode, code, status, message } = asApiError(failure);
  const data = { code: apiCode, httpStatus: status, requestId, path };
  return { message, code: TRPC_ERROR_CODES_BY_KEY[code], data };
}

export const router = hideContext(t.router);

/** Leaves the context out of routers' types, so that their declarations stand without those of our own packages. */
function hideContext<ErrorShape extends TRPCErrorShape>(
  builder: TRPCRouterBuilder<{ ctx: Context; meta: object; errorShape: ErrorShape; transformer: false }>,
) {
  type Root = { ctx: object; meta: object; errorShape: ErrorShape; transformer: false };
  return builder as unknown as TRPCRouterBuilder<Root>;
}

/** Begins a procedure: who may call it is judged before its input is read. */
export function endpoint(meta: EndpointMeta) {
  return t.procedure.meta(meta).use(({ ctx, next }) => next({ ctx: { caller: admit(ctx, meta.scope) } }));
}

/** Hints shared by all tools that only read. */
export const readHints = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

function admit({ caller, keyRefusal }: Context, scope: Scope | null): Caller {
  if (scope === null) return nobody;
  if (!caller) throw unauthorized(keyRefusal);
  if (!caller.scopes.includes(scope)) throw insufficientScope(scope);
  return caller;
}

/** Stands for the caller of an open endpoint, who owns nothing. */
const nobody: Caller = { userId: 0, keyId: '', scopes: [] };
