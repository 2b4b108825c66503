/** Notes each call of a procedure for the audit: what was called, on what, and how it ended. */
import { asApiError } from '../routers/errors.ts';
import type { Row } from './catalogue.ts';
import type { CallOptions } from './procedure-call.ts';
import type { RequestState } from './request-state.ts';

/** Calls a row's procedure and leaves a record in the state, whatever the outcome. */
export async function recordedCall(row: Row, state: RequestState, call: CallOptions): Promise<unknown> {
  let input: unknown;
  const readInput = async () => {
    input = await call.readInput();
    return input;
  };
  const record = { operation: row.name, isWrite: row.type === 'mutation' };
  try {
    const output = await row.call({ ...call, readInput });
    state.calls.push({ ...record, target: targetOf(row, input, output), status: row.status, code: null });
    return output;
  } catch (failure) {
    const { status, apiCode } = asApiError(failure);
    state.calls.push({ ...record, target: targetOf(row, input, null), status, code: apiCode });
    throw failure;
  }
}

const targetMaxLength = 100;

/** What a path names, or the id of what was created: a create answers with the new resource under its noun. */
function targetOf(row: Row, input: unknown, output: unknown): string | null {
  const [parameter] = row.pathParameters;
  const target = parameter
    ? fieldOf(input, parameter)
    : row.status === 201 && fieldOf(onlyValueOf(output), 'id');
  const isName = typeof target === 'string' || typeof target === 'number';
  return isName ? String(target).slice(0, targetMaxLength) : null;
}

const onlyValueOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : null;

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    ? (value as Record<string, unknown>)[field] // own field, proved on the line above
    : null;
