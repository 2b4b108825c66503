/**
 * tRPC, initialised once, and the only ways to begin a procedure: `endpoint(meta)` for the public API, which is called
 * with a key; `visitorProcedure` and `sessionProcedure` for the account page, which is not.
 */
import { initTRPC, type TRPCErrorShape, type TRPCRouterBuilder } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { Browser, Caller, Context, Session } from './context.ts';
import { asApiError, insufficientScope, notSignedIn, unauthorized } from './errors.ts';
import type { Scope } from './scopes.ts';
import type { Tag } from './tags.ts';

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
  tags: [Tag];
  summary: string;
  description: string;
}

/** A failure of an endpoint's own: when it comes, and the message that the caller then reads. */
interface Refusal {
  when: string;
  message: string;
}

/** What every procedure of the public API must say of itself; bridge/ reflects it and knows nothing else. */
export interface EndpointMeta {
  openapi: EndpointDescription;
  /** The scope a key must have. 'any': every valid key will do. Null: open to everybody, no key needed. */
  scope: Scope | 'any' | null;
  /** The status of success. */
  status: 200 | 201 | 202;
  /** When this endpoint answers with one of these, beside what is true for all. */
  refusals?: { bad_request?: string; not_found?: Refusal; upstream_error?: Refusal };
  tool?: ToolMeta;
}

/** What marks a procedure of the account page: it is in no description of the API, and no key reaches it. */
export interface SessionMeta {
  /** Whether somebody must be signed in. */
  session: 'required' | 'optional';
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

/** The first middleware of every procedure of the public API; its meta is an EndpointMeta, by `endpoint`. */
export const admission = t.middleware(({ ctx, meta, next }) =>
  next({ ctx: { caller: admit(ctx, (meta as EndpointMeta).scope) } }),
);

/** Begins a procedure: who may call it is judged before its input is read. */
export const endpoint = (meta: EndpointMeta) => t.procedure.meta(meta).use(admission);

/** Begins a procedure of the account page for whoever is there, signed in or not. */
export const visitorProcedure = t.procedure
  .meta({ session: 'optional' } satisfies SessionMeta)
  .use(({ ctx, next }) => next({ ctx: { browser: browserOf(ctx) } }));

/** Begins a procedure of the account page for whoever is signed in. */
export const sessionProcedure = t.procedure
  .meta({ session: 'required' } satisfies SessionMeta)
  .use(({ ctx, next }) => next({ ctx: { browser: browserOf(ctx), session: signedIn(ctx) } }));

/** Hints shared by all tools that only read. */
export const readHints = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

/** The caller, if a procedure of this scope may be called; throws the refusal otherwise. */
export function admit({ caller, keyRefusal }: Context, scope: EndpointMeta['scope']): Caller {
  if (scope === null) return nobody;
  if (!caller) throw unauthorized(keyRefusal);
  if (scope !== 'any' && !caller.scopes.includes(scope)) throw insufficientScope(scope);
  return caller;
}

/** Stands for the caller of an open endpoint, who owns nothing. */
const nobody: Caller = { userId: 0, keyId: '', scopes: [] };

function signedIn({ session }: Context): Session {
  if (!session) throw notSignedIn();
  return session;
}

function browserOf({ browser }: Context): Browser {
  if (!browser) throw new Error('A procedure of the account page was called at another door');
  return browser;
}
