/** tRPC, initialised once: `endpoint(meta)` is the only way to begin a procedure of the public API. */
import { initTRPC } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
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

export type ProcedureMeta = OpenApiMeta<Partial<EndpointMeta>>;

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    isDev: false,
    errorFormatter({ shape, error, ctx }) {
      const { apiCode, status, message } = asApiError(error);
      const data = { ...shape.data, code: apiCode, httpStatus: status, requestId: ctx?.requestId };
      return { ...shape, message, data };
    },
  });

export const { router } = t;

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
