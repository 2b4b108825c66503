/** Notes each call of a procedure for the audit: what was called, on what, and how it ended. */
import { asApiError, type ErrorCode } from '../routers/errors.ts';
import type { Callable } from './catalogue.ts';
import type { CallOptions } from './procedure-call.ts';
import type { RequestState } from './request-state.ts';

/** Calls a procedure and leaves a record in the state, whatever the outcome. */
export async function recordedCall(row: Callable, state: RequestState, call: CallOptions): Promise<object> {
  let input: unknown;
  const readInput = async () => {
    input = await call.readInput();
    return input;
  };
  const noted = row.targetField ? { ...call, readInput } : call;
  const note = (status: number, code: ErrorCode | null, output: unknown) =>
    state.calls.push({
      operation: row.name,
      target: targetOf(row, input, output),
      isWrite: row.type === 'mutation',
      status,
      code,
    });
  try {
    const output = await row.call(noted);
    note(row.status, null, output);
    return output;
  } catch (failure) {
    const { status, apiCode } = asApiError(failure);
    note(status, apiCode, null);
    throw failure;
  }
}

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
