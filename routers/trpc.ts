/**
 * tRPC, initialised once, and the only ways to begin a procedure: `endpoint(meta)` for the API, which is called with a key,
 * or with a session where the account page offers it; `visitorProcedure` and `sessionProcedure` for the account page alone.
 */
import { initTRPC, type TRPCErrorShape, type TRPCRouterBuilder } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { Context, SessionContext } from './context.ts';
import { asApiError } from './errors.ts';
import type { Scope } from './scopes.ts';
import { maskSecrets } from './support/mask-secrets.ts';
import type { Tag } from './tags.ts';

/** How a write is undone: by another call, which its description names, only by a backup that was created before, or not at all. */
export type Undo = 'call' | 'backup' | 'none';

const undoSentences = {
  call: null,
  backup: 'This cannot be undone, except from a backup: create one first.',
  none: 'This cannot be undone.',
};

/** How an operation shows as an MCP tool, where its summary and method do not say it; hints as the protocol defines them. */
export interface ToolMeta {
  name: string;
  /** As each method but POST is. */
  idempotent?: true;
  openWorld?: true;
  /** Whose text the output holds, in a few words, where it is of others: agents must not follow it. */
  foreignText?: string;
  /**
   * For a model that sees the tools of other servers too, in at most three sentences: what it does, when to take it, with which
   * tools before and after, and what it costs or undoes. The endpoint's own description unless given.
   */
  description?: string;
}

/** When an endpoint responds with these errors, in addition to what is true for all: a sentence for each code. */
interface Refusals {
  bad_request?: string;
  /**
   * The names in `notFound(name)`, the thing itself last. A 404's example is made of the last, and its sentence of all where
   * `not_found` gives none.
   */
  missing?: readonly string[];
  not_found?: string;
  conflict?: string;
  upstream_error?: string;
}

/**
 * The kinds of calls that run at once in numbers of their own: those that wait for the panel, those with large results, those
 * that are both, and those that wait because their caller asks for it.
 */
export type Slot = 'ordinary' | 'panel' | 'large' | 'largePanel' | 'waiting';

/**
 * The first value of its output is a resource that several may change: the call answers its ETag, and a PUT or PATCH honors
 * If-Match, for which its store asks `ctx.precondition` within the write.
 */
export interface Versioned {
  /** Fields that change by themselves, which are no part of a version. */
  except?: readonly string[];
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What every procedure of the public API must declare; bridge/ reflects it and knows nothing else. */
export interface Endpoint {
  /** The method, and the path below /api/v1 with parameters in braces. */
  route: `${Method} /${string}`;
  tag: Tag;
  summary: string;
  /** Names the call that undoes a write; otherwise `undo` adds the sentence. */
  description: string;
  /** Required for a write. */
  undo?: Undo;
  /** It replaces or ends what is stored or runs, as PUT, PATCH and DELETE do, and each write that only a backup undoes. */
  destructive?: true;
  /** That of its tool in camel case unless given. */
  operationId?: string;
  /** The scope a key must have. 'any': every valid key will do. Null: open to everybody, no key needed. */
  scope: Scope | 'any' | null;
  /** The status of success; 200 unless stated. */
  status?: 201 | 202;
  /** Whether success may also be 201: a call that created something sets `ctx.outcome.isCreated`. */
  canCreate?: true;
  /**
   * The output is a secret, which is stored nowhere: a call with a key takes no Idempotency-Key, which would store it; in a
   * session the write that is sent again is made again, under the same `writeId`.
   */
  hasSecretOutput?: true;
  versioned?: Versioned;
  /** Which of its caller's concurrency slots a call takes; 'ordinary' unless stated. */
  slot?: Slot;
  /** The result may be large though the slot is another one: it is refused once its user has read too many bytes in a minute. */
  hasLargeResult?: true;
  /** The field of the input that says for how many seconds a call may wait: where it does, its slot is 'waiting'. */
  waitField?: string;
  /** Of a caller's body, where it may be larger than others. */
  bodyBytesMax?: number;
  refusals?: Refusals;
  tool?: ToolMeta;
}

export type EndpointMeta = ReturnType<typeof metaOf>;

function metaOf({ route, status, description, ...declared }: Endpoint) {
  const [method, path] = route.split(' ') as [Method, `/${string}`]; // by its type
  const undoing = declared.undo && undoSentences[declared.undo];
  return {
    ...declared,
    method,
    path,
    description: undoing ? `${description} ${undoing}` : description,
    status: status ?? (200 as const),
    // As trpc-to-openapi reads it.
    openapi: { method, path },
  };
}

/** What holds where a session calls it, too. */
type InSession = Pick<
  Endpoint,
  'versioned' | 'slot' | 'hasLargeResult' | 'waitField' | 'bodyBytesMax' | 'hasSecretOutput'
>;

/** What marks a procedure of the account page: it is in no description of the API, and no key reaches it. */
export interface SessionMeta extends InSession {
  /** Whether the caller must be signed in. */
  session: 'required' | 'optional';
  /** What an administrator's session must have. */
  adminScope?: Scope;
  /** Staff that lacks a second factor may call it, to have one. */
  addsFactor?: true;
  /** A user who has a second factor must have shown one in the last ten minutes. */
  needsFactor?: true;
  /** The input is a password, of which no fingerprint is stored: the call takes no Idempotency-Key. */
  hasSecretInput?: true;
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
  const data = { code: apiCode, httpStatus: status, requestId, path: path && maskSecrets(path) };
  return { message, code: TRPC_ERROR_CODES_BY_KEY[code], data };
}

export const router = hideContext(t.router);

/** Leaves the context out of the routers' types, so that their declarations need no other file of ours. */
function hideContext<ErrorShape extends TRPCErrorShape>(
  builder: TRPCRouterBuilder<{ ctx: Context; meta: object; errorShape: ErrorShape; transformer: false }>,
) {
  type Root = { ctx: object; meta: object; errorShape: ErrorShape; transformer: false };
  return builder as unknown as TRPCRouterBuilder<Root>;
}

/** Begins a procedure of the public API. The bridge authorizes its caller before the input is read. */
export const endpoint = (declared: Endpoint) => t.procedure.meta(metaOf(declared));

/** Begins a procedure of the account page that visitors may call too. */
export const visitorProcedure = t.procedure.meta({ session: 'optional' } satisfies SessionMeta);

/** Begins a procedure of the account page for a user who is signed in. */
export const sessionProcedure = initTRPC
  .context<SessionContext>()
  .meta<object>()
  .create()
  .procedure.meta({ session: 'required' } satisfies SessionMeta);
