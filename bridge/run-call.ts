/** Runs one call: authorize (401, 403), read and validate the input (400), idempotency, the procedure; and records it for the audit. */
import { asApiError, invalidInput } from '../routers/errors.ts';
import { answerOnce, type ResultHooks } from '../routers/idempotency.ts';
import { maskSecrets } from '../routers/mask-secrets.ts';
import { anonymous, authorize } from '../routers/trpc.ts';
import { type Call, isOperationCall, type OperationCall } from './http/exchange.ts';
import { takesIdempotencyKey } from './http/idempotency-key.ts';
import type { CallRecord, ContextOf, RequestState } from './http/request-state.ts';
import type { AnyOperation } from './operations.ts';
import type { Invocation } from './procedure-call.ts';

export interface CallResult {
  /** The HTTP status of success. */
  status: number;
  output: object;
}

/** Run before and after a call. Either may throw to refuse it, which is recorded as its outcome. */
interface CallHooks<Reply> {
  beforeCall: (() => void) | undefined;
  makeReply: (result: CallResult) => Reply;
}

/** Throws whatever refuses the call. */
export type RunCall = <Reply>(call: Call, state: RequestState, hooks: CallHooks<Reply>) => Promise<Reply>;

/** Does the work once it is the caller's turn; throws overloaded() where too much waits already. */
export type TakeTurn = <Result>(state: RequestState, work: () => Promise<Result>) => Promise<Result>;

interface RunCallParts {
  contextOf: ContextOf;
  takeTurn: TakeTurn;
}

export const createRunCall = ({ contextOf, takeTurn }: RunCallParts): RunCall =>
  async function runCall(call, state, { beforeCall, makeReply }) {
    const progress: Progress = { rawInput: undefined, output: null, ownerId: null };
    try {
      beforeCall?.();
      if (!isOperationCall(call)) {
        authorize(state, call.access);
        throw call.refusal;
      }
      const result = await runOperation(call, { state, contextOf, takeTurn, progress });
      progress.output = result.output;
      const reply = makeReply(result);
      state.calls.push(recordOf(call, progress, { status: result.status, code: null }));
      return reply;
    } catch (failure) {
      const { status, apiCode: code } = asApiError(failure);
      state.calls.push(recordOf(call, progress, { status, code }));
      throw failure;
    }
  };

/** What is known of a call so far. */
interface Progress {
  rawInput: unknown;
  output: object | null;
  ownerId: number | null;
}

interface RunOptions extends RunCallParts {
  state: RequestState;
  progress: Progress;
}

async function runOperation(
  call: OperationCall,
  { state, contextOf, takeTurn, progress }: RunOptions,
): Promise<CallResult> {
  const { operation } = call;
  authorize(state, operation);
  const rawInput = await call.readInput();
  progress.rawInput = rawInput;
  // A body may take seconds to arrive; by then the key may be revoked, or its owner no longer an administrator.
  authorize(state, operation);
  const parsing = parse(operation, rawInput);
  const parsed = parsing instanceof Promise ? await parsing : parsing;
  if (!parsed.success) throw invalidInput(parsed.error);
  const result = { status: operation.status as number };
  // Copies of the context are expensive, so only calls that use the hooks get one.
  const context = hasHooks(operation)
    ? { ...contextOf(state), ...createHooks(result, progress) }
    : contextOf(state);
  const invocation = { context, input: parsed.data, rawInput };
  const output = await takeTurn(state, () => invoke(call, invocation, state));
  return { status: result.status, output };
}

const createHooks = (result: Pick<CallResult, 'status'>, progress: Progress): ResultHooks => ({
  onCreated: () => {
    result.status = 201;
  },
  auditOwner: (userId) => {
    progress.ownerId = userId;
  },
});

const hasHooks = ({ canCreate, auditsOwner }: AnyOperation) => canCreate || auditsOwner;

/** Only forms of the account page have asynchronous rules; a synchronous parse is cheaper. */
const parse = (operation: AnyOperation, rawInput: unknown) =>
  'session' in operation ? operation.parser.safeParseAsync(rawInput) : operation.parser.safeParse(rawInput);

/** A write with an idempotency key is done once; without one, or for a read, the procedure is called as it is. */
function invoke(
  call: OperationCall,
  invocation: Invocation,
  { caller, headers }: RequestState,
): Promise<object> {
  const { operation, idempotencyKey } = call;
  if (idempotencyKey === undefined || !takesIdempotencyKey(operation)) return operation.invoke(invocation);
  const { context, input } = invocation;
  const { keyId } = caller ?? anonymous; // a call with an idempotency key has been authorized by an API key
  const onReplay = () => {
    headers['Idempotency-Replayed'] = 'true';
  };
  return answerOnce({ idempotencyKey, onReplay, context, keyId, operation: operation.name, input }, (own) =>
    operation.invoke({ ...invocation, context: { ...context, ...own } }),
  );
}

type Ending = Pick<CallRecord, 'status' | 'code'>;

const recordOf = (call: Call, progress: Progress, ending: Ending): CallRecord =>
  isOperationCall(call)
    ? {
        operation: call.operation.name,
        target: targetOf(call.operation, progress),
        ownerId: progress.ownerId,
        isWrite: call.operation.type === 'mutation',
        ...ending,
      }
    : { operation: null, target: null, ownerId: null, isWrite: false, ...ending };

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
