/**
 * Runs the calls of a request, each to a response of its own: authorize (401, 403), input (400), a concurrency slot,
 * idempotency, the procedure; and records each for the audit.
 */
import type { Outcome } from '../routers/context.ts';
import { asApiError, asReadFailure, badRequest, invalidInput, overloaded } from '../routers/errors.ts';
import { answerOnce } from '../routers/idempotency.ts';
import { maskSecrets } from '../routers/mask-secrets.ts';
import { anonymous, authorize } from '../routers/trpc.ts';
import { type Json, lengthOf } from './json.ts';
import { type AnyOperation, type Invocation, isOpen, takesIdempotencyKey } from './operations.ts';
import {
  type AdmittedRequest,
  type Call,
  type CallRecord,
  type CallResponse,
  type ContextOf,
  isOperationCall,
  type OperationCall,
  type ParsedRequest,
  type Protocol,
  type RequestContext,
} from './protocol.ts';

interface RunCallsDeps {
  contextOf: ContextOf;
  /** Logs and counts a failure. */
  report: (failure: unknown, ctx: RequestContext) => void;
}

export type RunCalls = ReturnType<typeof createRunCalls>;

export function createRunCalls(deps: RunCallsDeps) {
  /** A batch runs a few calls side by side. */
  return async function runCalls(
    request: AdmittedRequest,
    protocol: CallProtocol,
    { calls, isBatch }: ParsedRequest,
  ): Promise<CallResponse[]> {
    const [first] = calls; // none for OPTIONS, pages, and MCP messages
    if (!isBatch) return first ? [await runCall(first, { deps, request, protocol, batch: null })] : [];
    const run: Run = { deps, request, protocol, batch: { bytes: 0 } };
    const responses: CallResponse[] = [];
    const concurrency = protocol.concurrency ?? 1;
    for (let at = 0; at < calls.length; at += concurrency) {
      const together = calls.slice(at, at + concurrency);
      responses.push(...(await Promise.all(together.map((call) => runCall(call, run)))));
    }
    return responses;
  };
}

type CallProtocol = Pick<Protocol, 'concurrency' | 'formatError' | 'formatResult'>;

/** The calls of one request. */
interface Run {
  deps: RunCallsDeps;
  request: AdmittedRequest;
  protocol: CallProtocol;
  batch: Batch | null;
}

/** The results of a batch so far. */
interface Batch {
  bytes: number;
}

/** The longest response of a batch, which is held in memory whole: calls beyond it are refused. */
const batchResponseBytesMax = 4 * 1024 * 1024;

/** What is known of a call so far. */
interface Progress {
  rawInput: unknown;
  output: object | null;
  outcome: Outcome;
}

async function runCall(call: Call, run: Run): Promise<CallResponse> {
  const { request, protocol, batch } = run;
  const { calls } = request.ctx.state.record;
  const progress: Progress = { rawInput: undefined, output: null, outcome: {} };
  try {
    if (batch && batch.bytes > batchResponseBytesMax) throw responseTooLong();
    const operationCall = requireOperation(call, request);
    progress.output = await runOperation(operationCall, run, progress);
    const json = protocol.formatResult(progress.output, call);
    if (batch) holdResult(operationCall, json, { batch, admission: request.admission });
    const status = progress.outcome.isCreated ? 201 : operationCall.operation.status;
    calls.push(recordOf(call, progress, { status, code: null }));
    return { status, headers: replayHeaders(progress), json };
  } catch (thrown) {
    const failure = isWrite(call) ? thrown : asReadFailure(thrown);
    const { status, apiCode: code } = asApiError(failure);
    calls.push(recordOf(call, progress, { status, code }));
    run.deps.report(failure, request.ctx);
    const { headers, body, ...rest } = protocol.formatError(failure, request.ctx.state.request, call);
    return { ...rest, headers: { ...headers, ...replayHeaders(progress) }, json: JSON.stringify(body) };
  }
}

const isWrite = (call: Call) => isOperationCall(call) && call.operation.type === 'mutation';

/** Callers without access learn nothing of what does not exist. */
function requireOperation(call: Call, { credentials }: AdmittedRequest): OperationCall {
  if (isOperationCall(call)) return call;
  authorize(credentials, call.access);
  throw call.refusal;
}

async function runOperation(
  call: OperationCall,
  { request, deps }: Run,
  progress: Progress,
): Promise<object> {
  const { operation } = call;
  authorize(request.credentials, operation);
  const rawInput = await call.readInput();
  progress.rawInput = rawInput;
  // A body may take seconds to arrive; by then the key may be revoked, or its owner no longer an administrator.
  authorize(request.credentials, operation);
  const parsing = parse(operation, rawInput);
  const parsed = parsing instanceof Promise ? await parsing : parsing;
  if (!parsed.success) throw invalidInput(parsed.error);
  const context = deps.contextOf(request.ctx, request.credentials, progress.outcome);
  const invocation = { context, input: parsed.data, rawInput };
  return await request.admission.run(operation.slot, () => invoke(call, invocation));
}

/** Only forms of the account page have asynchronous rules; a synchronous parse is cheaper. */
const parse = (operation: AnyOperation, rawInput: unknown) =>
  'session' in operation ? operation.parser.safeParseAsync(rawInput) : operation.parser.safeParse(rawInput);

/** A write with an idempotency key is done once; without one, or for a read, the procedure is called as it is. */
function invoke({ operation, idempotencyKey }: OperationCall, invocation: Invocation): Promise<object> {
  if (idempotencyKey === undefined || !takesIdempotencyKey(operation)) return operation.invoke(invocation);
  const { context, input } = invocation;
  const { keyId } = context.caller ?? anonymous; // a call with an idempotency key has been authorized by an API key
  return answerOnce({ idempotencyKey, context, keyId, operation: operation.name, input }, (writeId) =>
    operation.invoke({ ...invocation, context: { ...context, writeId } }),
  );
}

/** A write is reported beyond the bounds, too: it has been made, and its result is short. */
function holdResult(
  { operation }: OperationCall,
  json: Json,
  { batch, admission }: { batch: Batch } & Pick<AdmittedRequest, 'admission'>,
): void {
  const bytes = lengthOf(json);
  const isFirst = batch.bytes === 0;
  batch.bytes += bytes;
  if (operation.type === 'mutation') return;
  if (batch.bytes > batchResponseBytesMax && !isFirst) throw responseTooLong();
  if (!admission.holdResult(bytes)) throw overloaded();
}

/** Of a write that was not begun, or of a read: either can be sent again. */
const responseTooLong = () =>
  badRequest("The response of the batch is too long for this call's result; send this call again by itself");

const none = {};
const replayed = { 'Idempotency-Replayed': 'true' };
const replayHeaders = ({ outcome }: Progress) => (outcome.isReplayed ? replayed : none);

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
  return { operation: operation.name, target, isWrite, isAudited: !isOpen(operation), ...ended };
}

const targetMaxLength = 100;

/** What the input names, or the id of what was created: the output of a create begins with the new resource. */
function targetOf({ targetField, type }: AnyOperation, { rawInput, output }: Progress): string | null {
  const target = targetField
    ? fieldOf(rawInput, targetField)
    : type === 'mutation' && fieldOf(firstValueOf(output), 'id');
  const isName = typeof target === 'string' || typeof target === 'number';
  return isName ? maskSecrets(String(target)).slice(0, targetMaxLength) : null;
}

const firstValueOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : null;

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    ? (value as Record<string, unknown>)[field] // an own field, by the line above
    : null;
