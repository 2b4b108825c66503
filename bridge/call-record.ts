/** Notes each call of a procedure for the audit: what was called, on what, and how it ended. */
import { asApiError } from '../routers/errors.ts';
import type { Callable } from './catalogue.ts';
import type { CallOptions } from './procedure-call.ts';
import type { CallRecord, RequestState } from './request-state.ts';

/** Calls a procedure and leaves a record in the state, whatever the outcome. */
export async function recordedCall(row: Callable, state: RequestState, call: CallOptions): Promise<object> {
  const seen: Seen = { input: undefined };
  try {
    const output = await row.call(row.targetField ? withSeenInput(call, seen) : call);
    const target = targetOf(row, seen.input, output);
    state.calls.push(recordOf(row, { status: row.status, code: null, target }));
    return output;
  } catch (failure) {
    const { status, apiCode: code } = asApiError(failure);
    state.calls.push(recordOf(row, { status, code, target: targetOf(row, seen.input, null) }));
    throw failure;
  }
}

interface Seen {
  input: unknown;
}

const withSeenInput = (call: CallOptions, seen: Seen): CallOptions => ({
  ...call,
  readInput: async () => {
    seen.input = await call.readInput();
    return seen.input;
  },
});

type Ending = Pick<CallRecord, 'status' | 'code' | 'target'>;

const recordOf = ({ name, type }: Callable, { status, code, target }: Ending): CallRecord => ({
  operation: name,
  target,
  isWrite: type === 'mutation',
  status,
  code,
});

const targetMaxLength = 100;

/** What the input names, or the id of what was created: a create answers with the new resource, first, under its noun. */
function targetOf({ targetField, type }: Callable, input: unknown, output: unknown): string | null {
  const target = targetField
    ? fieldOf(input, targetField)
    : type === 'mutation' && fieldOf(firstValueOf(output), 'id');
  const isName = typeof target === 'string' || typeof target === 'number';
  return isName ? String(target).slice(0, targetMaxLength) : null;
}

const firstValueOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : null;

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    ? (value as Record<string, unknown>)[field] // own field, proved on the line above
    : null;
