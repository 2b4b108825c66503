/**
 * The one function that carries every request of every protocol: admit, authenticate, parse, limit, run its calls, respond,
 * audit and release. A protocol says how a request is read and how results and errors are written.
 */
import type { IncomingMessage } from 'node:http';
import {
  type AdmittedRequest,
  type Authenticate,
  anyone,
  type Call,
  type Cost,
  type Headers,
  type Middleware,
  type ParsedRequest,
  type Protocol,
  type RequestContext,
  type Response,
} from '../bridge/protocol.ts';
import type { RunCalls } from '../bridge/run-calls.ts';
import { ApiError, asReadFailure, badRequest, overloaded } from '../routers/errors.ts';
import type { Admission } from './http/admission.ts';
import type { RateLimit } from './http/rate-limit.ts';
import { headersMax, userIdOf } from './http/request.ts';
import type { Report, Send } from './http/respond.ts';
import type { Audit } from './observability/audit.ts';

interface PipelineDeps {
  admit: () => Admission;
  rateLimit: RateLimit;
  runCalls: RunCalls;
  audit: Audit;
  report: Report;
  send: Send;
}

/** What is served at a path. */
interface Served<Parsed extends ParsedRequest> {
  protocol: Protocol<Parsed>;
  /** Identifies the caller by a key or a session, and refuses no request; null where everybody is a stranger. */
  authenticate: Authenticate | null;
  /** False for pages, which call no operation. */
  isAudited: boolean;
}

export type Serve = ReturnType<typeof createServe>;

export const createServe =
  ({ admit, rateLimit, runCalls, audit, report, send }: PipelineDeps) =>
  <Parsed extends ParsedRequest>({ protocol, authenticate, isAudited }: Served<Parsed>): Middleware =>
    async function handle(ctx) {
      ctx.state.record.protocol = protocol.name;
      let admission: Admission | null = null;
      let parsed: Parsed | null = null;
      let limits: Headers = {};
      let failure: unknown = null;
      let response: Response | null;
      try {
        refuseManyHeaders(ctx.req);
        admission = admit();
        const request = await admitCaller(ctx, admission, authenticate);
        if (authenticate && isVisitor(request)) await rateLimit.refuseBusyAddress(ctx);
        const parsing = await parse(protocol, request);
        parsed = parsing.parsed;
        const consumed = await rateLimit.consume(request.credentials, parsing.cost);
        limits = consumed.headers;
        if (consumed.refusal) throw consumed.refusal;
        if (!parsed) throw parsing.failure;
        response = await protocol.respond(ctx, parsed, await runCalls(request, protocol, parsed));
      } catch (thrown) {
        failure = asReadFailure(thrown); // no call was made
        report(failure, ctx);
        response = errorResponse(protocol, failure, { ctx, parsed });
      } finally {
        if (isAudited) await audit(ctx, failure);
        admission?.release();
      }
      const isSent = send(ctx, response, limits);
      if (!isSent) send(ctx, errorResponse(protocol, noRoom(ctx), { ctx, parsed }), limits);
    };

function refuseManyHeaders({ rawHeaders }: IncomingMessage): void {
  // Each name is followed by its value.
  if (rawHeaders.length > 2 * headersMax) throw badRequest(`The request has more than ${headersMax} headers`);
}

/** A client whose body took longer is authenticated again: its key, session or admin flag may be gone by then. */
const authenticationMaxAgeMs = 100;

/** Learns who calls, and counts the request for its user. */
async function admitCaller(
  ctx: RequestContext,
  admission: Admission,
  authenticate: Authenticate | null,
): Promise<AdmittedRequest> {
  const { record, request: head } = ctx.state;
  const credentials = authenticate ? await authenticate(ctx) : anyone;
  record.credentials = credentials;
  admission.identify(userIdOf(credentials), head.address);
  const request: AdmittedRequest = { ctx, credentials, admission, receiveBody };
  async function receiveBody(bytesMax: number): Promise<Buffer> {
    const startedAt = performance.now();
    const body = await admission.receiveBody(ctx.req, bytesMax);
    if (authenticate && performance.now() - startedAt > authenticationMaxAgeMs) {
      request.credentials = await authenticate(ctx);
      record.credentials = request.credentials;
    }
    return body;
  }
  return request;
}

const isVisitor = ({ credentials: { caller, session } }: AdmittedRequest) => !caller && !session;

type Parsing<Parsed> = { parsed: Parsed | null; cost: Cost; failure: unknown };

/** A request that cannot be parsed counts against the limit like any other. */
async function parse<Parsed extends ParsedRequest>(
  protocol: Protocol<Parsed>,
  request: AdmittedRequest,
): Promise<Parsing<Parsed>> {
  try {
    const parsed = await protocol.parse(request);
    return { parsed, cost: parsed.cost, failure: null };
  } catch (failure) {
    return { parsed: null, cost: protocol.unparsedCost, failure };
  }
}

interface FailedRequest {
  ctx: RequestContext;
  parsed: ParsedRequest | null;
}

/** The one place where the failure of a request becomes its response. */
function errorResponse(
  protocol: Pick<Protocol, 'formatError'>,
  failure: unknown,
  { ctx, parsed }: FailedRequest,
): Response {
  const { status, headers, body } = protocol.formatError(failure, ctx.state.request, singleCallOf(parsed));
  return { status, headers, json: JSON.stringify(body) };
}

const singleCallOf = (parsed: ParsedRequest | null): Call | null =>
  parsed && !parsed.isBatch ? (parsed.calls[0] ?? null) : null;

const noRoom = ({ state }: RequestContext): ApiError =>
  state.record.calls.some(({ isWrite }) => isWrite)
    ? new ApiError('overloaded', 'Too many responses are waiting to be read; the calls were made', {
        retryAfterSeconds: 1,
      })
    : overloaded();
