/** What the doors of server/ and the tongues of bridge/ tell each other about one request, in `ctx.state`. */
import type Koa from 'koa';
import type { Browser, Caller, Context, Session } from '../routers/context.ts';
import type { ErrorCode, KeyRefusal } from '../routers/errors.ts';
import type { ErrorAnswer } from './envelope.ts';
import type { JsonPieces } from './json-pieces.ts';

/** One call of a procedure, as the audit wants it. */
export interface CallRecord {
  operation: string | null;
  target: string | null;
  isWrite: boolean;
  status: number;
  code: ErrorCode | null;
}

export interface RequestState {
  requestId: string;
  method: string;
  /** What was asked for, without the query; Koa would read it anew from the address at every use. */
  path: string;
  caller: Caller | null;
  keyRefusal: KeyRefusal;
  /** The owner of the key that was sent, even when the key was refused; null for a key we never issued. */
  knownKey: { id: string; userId: number } | null;
  /** Set at the account page's door only. */
  session: Session | null;
  browser: Browser | null;
  via: 'rest' | 'trpc' | 'mcp' | 'account';
  /** The caller's true address. */
  address: string;
  calls: CallRecord[];
  /** Waits for what the client has yet to send, without holding a place among the requests at work. */
  waitForClient: <Sent>(sent: Promise<Sent>) => Promise<Sent>;
  /** How many calls the request counts as against the limit; a batch holds several. */
  cost: number;
  /** What the answer's head will say beside what all say; written in one piece, with the body. */
  headers: Record<string, string>;
  /** Of an answer in JSON. */
  contentType: string;
  /** The body of an answer in JSON, ready to be sent; null where there is none, or Koa is to send a page. */
  json: string | JsonPieces | null;
  /** Words a failure in the tongue the request speaks. */
  envelope: (failure: unknown, state: RequestState) => ErrorAnswer;
}

export type RequestContext = Koa.ParameterizedContext<RequestState>;
export type Middleware = Koa.Middleware<RequestState>;

/** Logs a failure that is ours, under the request's id. */
export type Report = (failure: unknown, state: RequestState) => void;

/** Makes the context of a procedure from the request. */
export type ContextOf = (state: RequestState) => Context;

/** Leaves an answer in JSON for `send`; past Koa's own status, which would look for the body that it is to have. */
export function answerJson({ res, state }: RequestContext, status: number, json: string | JsonPieces): void {
  res.statusCode = status;
  res.statusMessage = ''; // that of the status, not of one set before
  state.json = json;
}

/** A header of the request, by its name in lower case; empty where there is none. */
export function headerOf({ req }: Pick<RequestContext, 'req'>, name: string): string {
  const value = req.headers[name];
  return typeof value === 'string' ? value : '';
}
