/**
 * The only ways to start a procedure. `endpoint(meta)` is for the API: callers use a key, or a session if the account page
 * offers the operation. `visitorProcedure` and `sessionProcedure` are for the account page alone.
 */
import { initTRPC, type TRPCErrorShape, type TRPCRouterBuilder } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { Context, SessionContext } from './context.ts';
import { type ApiError, asApiError } from './errors.ts';
import type { Scope } from './scopes.ts';
import { maskSecrets } from './support/mask-secrets.ts';
import type { Tag } from './tags.ts';

/** How a write is undone: by another call, which its description names, only by an earlier backup, or not at all. */
export type Undo = 'call' | 'backup' | 'none';

const undoSentences = {
  call: null,
  backup: 'This cannot be undone, except from a backup: create one first.',
  none: 'This cannot be undone.',
};

/** The parts of an MCP tool that do not follow from the operation's summary and method. The hints have MCP's names. */
export interface ToolMeta {
  name: string;
  /** Only a POST needs it: every other method is idempotent. */
  idempotent?: true;
  openWorld?: true;
  /** Says so if the output can contain other people's text, which agents must not obey. Without the final period. */
  foreignText?: string;
  /** The path of the list or the string with that text, such as `players.names`. While it is empty, the result has no mark. */
  foreignTextAt?: string;
  /**
   * The endpoint's description by default. This text addresses a model that also sees other servers' tools. At most three
   * sentences: what the tool does, when to use it, which tools come before and after, and what it costs or undoes.
   */
  description?: string;
}

export interface Refusal {
  when: string;
  /** The likeliest of its messages. */
  example: ApiError;
}

/** When this endpoint returns an error with each code, beyond the causes that all endpoints share. */
interface Refusals {
  /** Has an example only if that is likelier than an invalid field. */
  bad_request?: string | Refusal;
  /**
   * The names passed to `notFound(name)`, the resource itself last. The 404's example uses the last name. Its sentence
   * lists all of them unless `not_found` is given.
   */
  missing?: readonly string[];
  not_found?: string;
  conflict?: Refusal;
  upstream_error?: string;
}

/** `x-pagination` of the operation. The guide explains each field to customers, under "Code generators". */
export interface Pagination {
  list: string;
  parameter: string;
  field: string | null;
  size: string | null;
  more: string | null;
}

/**
 * Each kind of call has its own limit of concurrent calls: calls that wait for the panel, calls with large results, calls
 * with both, and calls that wait because the caller requests it.
 */
export type Slot = 'ordinary' | 'panel' | 'large' | 'largePanel' | 'waiting';

/**
 * The first value of the output is a resource that several callers may change. The response carries its ETag, and a PUT or
 * PATCH honors If-Match: the store checks `ctx.precondition` within the write.
 */
export interface Versioned {
  /** Fields that the version ignores, because they change without a caller's write. */
  except?: readonly string[];
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The declaration of a public procedure. bridge/ reflects it and knows nothing else. */
export interface Endpoint {
  /** The method, and the path below /api/v1 with parameters in braces. */
  route: `${Method} /${string}`;
  tag: Tag;
  summary: string;
  /**
   * If another call undoes the write, the description names that call. For all other writes, `undo` appends the sentence.
   */
  description: string;
  /** Required for a write. */
  undo?: Undo;
  /** The call replaces or ends something that is stored or running. PUT, PATCH, DELETE and `undo: 'backup'` imply this. */
  destructive?: true;
  /** The call deletes, restores or reinstalls something, so clients ask a person first. DELETE implies this. */
  needsConfirmation?: true;
  pagination?: Pagination;
  /**
   * Operations to call next, by operationId, and where this output has the value of their last path parameter, such as
   * `tickets.0.id`. They take their other path parameters from this call's own.
   */
  links?: Readonly<Record<string, string>>;
  /** Defaults to the name of the tool in camel case. */
  operationId?: string;
  /** `x-command`: the name in the command `gamehost`, where the words of the operationId make a poor one. */
  command?: string;
  /** The scope that a key needs. 'any': every valid key. Null: public, no key needed. */
  scope: Scope | 'any' | null;
  status?: 201 | 202;
  /** Success can also be 201: a call that created the resource sets `ctx.outcome.isCreated`. */
  canCreate?: true;
  /**
   * The output is a secret, which is stored nowhere. A call with an API key ignores Idempotency-Key, because that would
   * store the output. In a session, a repeated request makes the write again under the same `writeId`.
   */
  hasSecretOutput?: true;
  /**
   * The output has secrets that only callers with this scope may read. Without SECRETS_KEY, an Idempotency-Key's response is
   * stored without them. An app's rights may change before it is repeated.
   */
  secretFields?: { scope: Scope; hide: (output: never) => object };
  versioned?: Versioned;
  slot?: Slot;
  /** The result may be large although the slot is not 'large'. A user who has read too many bytes in a minute is refused. */
  hasLargeResult?: true;
  /** The input field with the seconds that a call may wait. A call that waits takes the slot 'waiting'. */
  waitField?: string;
  bodyBytesMax?: number;
  refusals?: Refusals;
  tool?: ToolMeta;
}

export type EndpointMeta = ReturnType<typeof metaOf>;

function metaOf({ route, status, description, ...declared }: Endpoint) {
  const [method, path] = route.split(' ') as [Method, `/${string}`];
  const undoing = declared.undo && undoSentences[declared.undo];
  return {
    ...declared,
    method,
    path,
    description: undoing ? `${description} ${undoing}` : description,
    status: status ?? (200 as const),
    // The field that trpc-to-openapi reads.
    openapi: { method, path },
  };
}

type InSession = Pick<
  Endpoint,
  'versioned' | 'slot' | 'hasLargeResult' | 'waitField' | 'bodyBytesMax' | 'hasSecretOutput' | 'secretFields'
>;

export interface SessionMeta extends InSession {
  session: 'required' | 'optional';
  adminScope?: Scope;
  /** Staff may call it without a second factor, to add one. */
  addsFactor?: true;
  /** A user who has a second factor must have shown one in the last ten minutes. */
  needsFactor?: true;
  /** The input is a password. The call takes no Idempotency-Key, because that would store a fingerprint of the input. */
  hasSecretInput?: true;
}

const t = initTRPC
  .context<Context>()
  .meta<object>()
  .create({
    isDev: false,
    errorFormatter: ({ error, ctx, path }) => errorShape(error, ctx?.requestId ?? '', path),
  });

export function errorShape(failure: unknown, requestId: string, path?: string) {
  const { apiCode, code, status, message } = asApiError(failure);
  const data = { code: apiCode, httpStatus: status, requestId, path: path && maskSecrets(path) };
  return { message, code: TRPC_ERROR_CODES_BY_KEY[code], data };
}

export const router = hideContext(t.router);

/** Leaves the context out of the routers' types, so that their declarations import nothing else of this project. */
function hideContext<ErrorShape extends TRPCErrorShape>(
  builder: TRPCRouterBuilder<{ ctx: Context; meta: object; errorShape: ErrorShape; transformer: false }>,
) {
  type Root = { ctx: object; meta: object; errorShape: ErrorShape; transformer: false };
  return builder as unknown as TRPCRouterBuilder<Root>;
}

/** The bridge authorizes the caller before it reads the input. */
export const endpoint = (declared: Endpoint) => t.procedure.meta(metaOf(declared));

export const visitorProcedure = t.procedure.meta({ session: 'optional' } satisfies SessionMeta);

export const sessionProcedure = initTRPC
  .context<SessionContext>()
  .meta<object>()
  .create()
  .procedure.meta({ session: 'required' } satisfies SessionMeta);
