/**
 * One function handles every request of every protocol: admit, authenticate, parse, limit, run its calls, respond, audit and
 * release. A protocol defines how to read a request and how to write results and errors.
 */
import type {
  AdmittedRequest,
  Authenticate,
  Call,
  Cost,
  Headers,
  Middleware,
  ParsedRequest,
  Protocol,
  RequestContext,
  Response,
} from '../bridge/protocol.ts';
import { type CompletedCall, type Report, type RunCalls, reauthenticate } from '../bridge/run-calls.ts';
import { headFieldsMax, parsedHeaderLengthMax } from '../models/bounds.ts';
import { type Caller, visitor } from '../routers/caller.ts';
import { ApiError, asReadFailure, badRequest } from '../routers/errors.ts';
import type { Audit } from './audit/audit.ts';
import type { Send } from './http/respond.ts';
import type { Admission } from './limit/admission.ts';
import { ownerOf } from './limit/owner.ts';
import type { RateLimit } from './limit/rate-limit.ts';

interface PipelineDeps {
  admit: () => Admission;
  limitVisitor: (ctx: RequestContext) => Promise<void>;
  rateLimit: RateLimit;
  runCalls: RunCalls;
  audit: Audit;
  report: Report;
  send: Send;
}

interface Mount<Parsed extends ParsedRequest> {
  protocol: Protocol<Parsed>;
  authenticate: Authenticate | null;
  /** False for pages, which call no operation. */
  isAudited: boolean;
}

export type Serve = ReturnType<typeof createServe>;

export const createServe =
  ({ admit, limitVisitor, rateLimit, runCalls, audit, report, send }: PipelineDeps) =>
  <Parsed extends ParsedRequest>({ protocol, authenticate, isAudited }: Mount<Parsed>): Middleware =>
    async function handle(ctx) {
      let admission: Admission | null = null;
      let caller: Caller = visitor;
      let parsed: Parsed | null = null;
      let limits: Headers = {};
      let completed: readonly CompletedCall[] = [];
      let failure: unknown = null;
      let response: Response | null;
      try {
        refuseHead(ctx);
        admission = admit();
        if (authenticate) caller = await authenticate(ctx);
        admission.identify(ownerOf(ctx, caller));
        if (authenticate && caller.kind === 'visitor') await limitVisitor(ctx);
        const request = { ctx, caller, authenticatedAt: performance.now(), admission };
        const parsing = await parse(protocol, request);
        const current = await reauthenticate(request, authenticate);
        if (current !== request && current.caller.kind === 'visitor') throw current.caller.refusal; // the key has ended meanwhile
        parsed = parsing.parsed;
        const consumed = await rateLimit.consume(current.caller, parsing.cost);
        limits = consumed.headers;
        if (consumed.refusal) throw consumed.refusal;
        if (!parsed) throw parsing.failure;
        completed = await runCalls(current, parsed, { protocol, authenticate });
        response = await protocol.respond(ctx, parsed, completed.map(responseOf));
      } catch (thrown) {
        failure = asReadFailure(thrown); // no call was made, so nothing was written
        report(failure, ctx, protocol.name);
        response = errorResponse(protocol, failure, { ctx, parsed });
      } finally {
        ctx.state.record = { protocol: protocol.name, caller, calls: completed.map(recordOf) };
        if (isAudited) await audit(ctx.state, failure);
        admission?.release();
      }
      const to = { limits, caller };
      const refusal = send(ctx, response, to);
      if (refusal) send(ctx, errorResponse(protocol, unsentError(refusal, completed), { ctx, parsed }), to);
    };

const responseOf = ({ response }: CompletedCall) => response;
const recordOf = ({ record }: CompletedCall) => record;

/** @throws bad_request for a head with more fields than any client needs, because reading them is expensive */
function refuseHead({ req, state: { request } }: RequestContext): void {
  const { rawHeaders, headers, url = '' } = req;
  if (request.path === '') throw badRequest('The request target is not a path');
  // rawHeaders holds names and values alternately.
  if (rawHeaders.length > 2 * headFieldsMax)
    throw badRequest(`The request has more than ${headFieldsMax} headers`);
  if (url.length > headFieldsMax && url.split('&', headFieldsMax + 1).length > headFieldsMax)
    throw badRequest(`The query has more than ${headFieldsMax} fields`);
  if ((headers.accept?.length ?? 0) > parsedHeaderLengthMax)
    throw badRequest(`Accept is longer than ${parsedHeaderLengthMax} characters`);
}

type Parsing<Parsed> = { parsed: Parsed | null; cost: Cost; failure: unknown };

/** A request that cannot be parsed counts against the limit too. */
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

const unsentError = (refusal: ApiError, completed: readonly CompletedCall[]): ApiError =>
  completed.some(({ record }) => record.isWrite)
    ? new ApiError(refusal.apiCode, 'Too many responses are waiting to be read; the calls were made', {
        retryAfterSeconds: 1,
      })
    : refusal;
