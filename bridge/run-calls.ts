/**
 * Runs the calls of a request, each through the same steps: authorization (401, 403), input (400), a concurrency slot,
 * idempotency, the procedure. Records each call for the audit.
 */
import { batchBytesMax, loggedLengthMax } from '../models/bounds.ts';
import { authorize } from '../routers/caller.ts';
import type { Outcome } from '../routers/context.ts';
import { asApiError, asReadFailure, badRequest, invalidInput } from '../routers/errors.ts';
import { cut } from '../routers/schemas/text.ts';
import { maskSecrets } from '../routers/support/mask-secrets.ts';
import { type ClaimStore, runOnce } from './idempotency.ts';
import { type AnyOperation, type Invocation, isOpenToVisitors, takesIdempotencyKey } from './operations.ts';
import { preconditionOf, versionHeaders } from './preconditions.ts';
import {
  type AdmittedRequest,
  type Authenticate,
  type Call,
  type CallRecord,
  type CallResponse,
  type ContextOf,
  isOperationCall,
  type OperationCall,
  type ParsedRequest,
  type Protocol,
  type ProtocolName,
  type RequestContext,
} from './protocol.ts';

interface RunCallsDeps {
  contextOf: ContextOf;
  claims: ClaimStore;
  report: Report;
}

export type Report = (failure: unknown, ctx: RequestContext, protocol: ProtocolName) => void;

export interface CompletedCall {
  response: CallResponse;
  record: CallRecord;
}

export type RunCalls = ReturnType<typeof createRunCalls>;

export function createRunCalls(deps: RunCallsDeps) {
  return async function runCalls(
    request: AdmittedRequest,
    { calls, isBatch }: ParsedRequest,
    served: ServedBy,
  ): Promise<CompletedCall[]> {
    const [first] = calls; // undefined for OPTIONS, pages, and MCP messages that call no tool
    const run: Run = { deps, request, ...served, batch: isBatch ? { bytes: 0 } : null };
    if (!isBatch) return first ? [await runCall(first, run)] : [];
    const completed: CompletedCall[] = [];
    const { concurrency = 1 } = served.protocol;
    for (let at = 0; at < calls.length; at += concurrency) {
      const together = calls.slice(at, at + concurrency);
      completed.push(...(await Promise.all(together.map((call) => runCall(call, run)))));
    }
    return completed;
  };
}

interface ServedBy {
  protocol: Pick<Protocol, 'name' | 'concurrency' | 'formatError' | 'formatResult'>;
  authenticate: Authenticate | null;
}

interface Run extends ServedBy {
  deps: RunCallsDeps;
  request: AdmittedRequest;
  batch: Batch | null;
}

interface Batch {
  bytes: number;
}

interface Progress {
  rawInput: unknown;
  output: object | null;
  outcome: Outcome;
}

async function runCall(call: Call, run: Run): Promise<CompletedCall> {
  const { request, protocol, batch } = run;
  const progress: Progress = { rawInput: undefined, output: null, outcome: {} };
  try {
    if (batch && batch.bytes > batchBytesMax) throw responseTooLong();
    const operationCall = authorizeCall(call, request);
    progress.output = await runOperation(operationCall, run, progress);
    const json = protocol.formatResult(progress.output, call);
    countResultBytes(operationCall, Buffer.byteLength(json), request);
    if (batch) reserveResultBytes(operationCall, json, { batch, admission: request.admission });
    const { operation } = operationCall;
    const status = progress.outcome.isCreated ? 201 : operation.status;
    const record = recordOf(call, progress, { status, code: null });
    const headers =
      batch || !operation.versioned
        ? replayHeaders(progress)
        : { ...replayHeaders(progress), ...versionHeaders(operation, progress.output) };
    return { response: { status, headers, json }, record };
  } catch (thrown) {
    const failure = isWrite(call) ? thrown : asReadFailure(thrown);
    const { status, apiCode: code } = asApiError(failure);
    const record = recordOf(call, progress, { status, code });
    run.deps.report(failure, request.ctx, protocol.name);
    const { headers, body, ...rest } = protocol.formatError(failure, request.ctx.state.request, call);
    const response = {
      ...rest,
      headers: { ...headers, ...replayHeaders(progress) },
      json: JSON.stringify(body),
    };
    return { response, record };
  }
}

const isWrite = (call: Call) => isOperationCall(call) && call.operation.type === 'mutation';

/** Authorizes first, so that callers without access do not learn what exists. */
function authorizeCall(call: Call, { caller }: AdmittedRequest): OperationCall {
  const exists = isOperationCall(call);
  authorize(caller, exists ? call.operation : call.access);
  if (!exists) throw call.refusal;
  return call;
}

async function runOperation(
  call: OperationCall,
  { request, deps, authenticate }: Run,
  progress: Progress,
): Promise<object> {
  const { operation } = call;
  const rawInput = await call.readInput();
  progress.rawInput = rawInput;
  const current = await reauthenticate(request, authenticate);
  if (current !== request) authorize(current.caller, operation);
  const { error, data: input } = await operation.parser.safeParseAsync(rawInput);
  if (error) throw invalidInput(error);
  const context = deps.contextOf(request.ctx, current.caller, progress.outcome);
  const precondition = preconditionOf(operation, call.ifMatch);
  const invocation = { ctx: precondition ? { ...context, precondition } : context, input };
  const slot = requestsWait(operation, input) ? 'waiting' : operation.slot;
  const output = await request.admission.run(slot, () => {
    // Refuses a call over the limit before it produces a large result in vain.
    countResultBytes(call, 1, request);
    return invoke(call, invocation, deps);
  });
  if (slot === 'waiting') {
    const after = await reauthenticate(current, authenticate, performance.now());
    if (after !== current) authorize(after.caller, operation);
  }
  return output;
}

const requestsWait = ({ waitField }: AnyOperation, input: unknown) =>
  waitField !== undefined && Number(fieldOf(input, waitField)) > 0;

/** After 100 ms the key, session or admin flag may be gone, so the client is authenticated again. */
export function reauthenticate(
  request: AdmittedRequest,
  authenticate: Authenticate | null,
  at = request.admission.bodyReceivedAt,
): AdmittedRequest | Promise<AdmittedRequest> {
  const { ctx, authenticatedAt } = request;
  if (!authenticate || at - authenticatedAt <= 100) return request;
  return Promise.resolve(authenticate(ctx)).then((caller) => ({
    ...request,
    caller,
    authenticatedAt: performance.now(),
  }));
}

function invoke(
  { operation, idempotencyKey }: OperationCall,
  invocation: Invocation,
  { claims }: RunCallsDeps,
): Promise<object> {
  if (idempotencyKey === undefined || !takesIdempotencyKey(operation)) return operation.invoke(invocation);
  const { ctx, input } = invocation;
  const { caller } = ctx;
  const keyId = caller.kind === 'session' ? `account:${caller.userId}` : caller.keyId;
  const call = {
    claims,
    idempotencyKey,
    context: ctx,
    keyId,
    operation: operation.name,
    input,
    hasSecretOutput: operation.hasSecretOutput ?? false,
    secretFields: operation.secretFields,
  };
  const toPublicOutput = (presented: object) => operation.output.parse(presented) as object; // every output schema is an object schema
  return runOnce({ ...call, toPublicOutput }, (attempt) =>
    operation.invoke({ input, ctx: { ...ctx, ...attempt } }),
  );
}

/** A small result is sent even if the user has no bytes left in this minute. */
function countResultBytes({ operation }: OperationCall, bytes: number, { admission }: AdmittedRequest): void {
  const refusal = admission.countResultBytes(bytes);
  if (refusal && (operation.slot === 'large' || operation.hasLargeResult)) throw refusal;
}

/** The result of a write is sent even beyond the bounds: the write has happened, and its result is short. */
function reserveResultBytes(
  { operation }: OperationCall,
  json: string,
  { batch, admission }: { batch: Batch } & Pick<AdmittedRequest, 'admission'>,
): void {
  const bytes = Buffer.byteLength(json);
  const isFirst = batch.bytes === 0;
  batch.bytes += bytes;
  if (operation.type === 'mutation') return;
  if (batch.bytes > batchBytesMax && !isFirst) throw responseTooLong();
  const refusal = admission.reserveResultBytes(bytes);
  if (refusal) throw refusal;
}

/** A read, or a write that did not start: safe to send again. */
const responseTooLong = () =>
  badRequest("The response of the batch is too long for this call's result; send this call again on its own");

const noHeaders = {};
const replayedHeader = { 'Idempotency-Replayed': 'true' };
const replayHeaders = ({ outcome }: Progress) => (outcome.isReplayed ? replayedHeader : noHeaders);

function recordOf(
  call: Call,
  progress: Progress,
  { status, code }: Pick<CallRecord, 'status' | 'code'>,
): CallRecord {
  const ended = { outcome: progress.outcome, status, code };
  if (!isOperationCall(call))
    return { operation: null, target: null, isWrite: false, isAudited: true, ...ended };
  const { operation } = call;
  const isWrite = operation.type === 'mutation';
  const target = targetOf(operation, progress);
  return { operation: operation.name, target, isWrite, isAudited: !isOpenToVisitors(operation), ...ended };
}

/** The output of a create begins with the new resource, whose id is the target. */
function targetOf({ targetField, type }: AnyOperation, { rawInput, output }: Progress): string | null {
  const target = targetField
    ? fieldOf(rawInput, targetField)
    : type === 'mutation' && fieldOf(firstValueOf(output), 'id');
  const isName = typeof target === 'string' || typeof target === 'number';
  return isName ? cut(maskSecrets(String(target)), loggedLengthMax) : null;
}

const firstValueOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : null;

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    ? (value as Record<string, unknown>)[field] // Object.hasOwn does not narrow the type
    : null;
