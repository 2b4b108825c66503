/** Places the fields of an operation's input in the path, the query, the headers and the body of its request. */
import { GamehostError } from './errors.ts';
import type { Operation } from './operations.ts';

export type Input = Readonly<Record<string, unknown>>;

interface Request {
  /** Below the address of the API, with its query. */
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

export function requestOf(
  operation: Operation,
  input: Input,
  idempotencyKey: string = crypto.randomUUID(),
): Request {
  const body = bodyOf(operation, input);
  const sentHeaders = operation.headers.filter((field) => input[field] !== undefined);
  return {
    path: pathOf(operation, input) + queryOf(operation, input),
    headers: {
      Accept: 'application/json',
      ...(body !== null && { 'Content-Type': 'application/json' }),
      ...(operation.isIdempotent && { 'Idempotency-Key': idempotencyKey }),
      ...Object.fromEntries(sentHeaders.map((field) => [field.replaceAll('_', '-'), String(input[field])])),
    },
    body,
  };
}

const pathOf = ({ name, path }: Operation, input: Input): string =>
  path.replace(pathField, (_, field) => {
    const value = String(input[field] ?? '');
    // An empty segment or one of dots would lead to another operation.
    if (/^\.{0,2}$/.test(value)) throw invalidCall(`${name} needs ${field}`);
    return encodeURIComponent(value);
  });

const pathField = /\{(\w+)\}/g;

function queryOf({ query }: Operation, input: Input): string {
  const sent = query.filter((field) => input[field] !== undefined);
  const search = new URLSearchParams(Object.fromEntries(sent.map((field) => [field, String(input[field])])));
  return sent.length > 0 ? `?${search}` : '';
}

/** All fields that have no other place: the API names those that it does not know. */
function bodyOf({ name, method, path, query, headers }: Operation, input: Input): string | null {
  const placed = [...path.matchAll(pathField)].map(([, field]) => field);
  const others = Object.keys(input).filter((field) => ![...placed, ...query, ...headers].includes(field));
  const body = Object.fromEntries(others.map((field) => [field, input[field]]));
  if (others.length === 0) return null;
  if (method === 'GET') throw invalidCall(`${name} has no field ${others[0]}`);
  return JSON.stringify(body);
}

/** @throws {GamehostError} without the cause, which would name the credential */
export function headersOf(fields: Record<string, string>): Headers {
  try {
    return new Headers(fields);
  } catch {
    throw invalidCall(
      'The key, the token, idempotencyKey or if_match has characters that no header can have',
    );
  }
}

const invalidCall = (message: string) => new GamehostError({ code: 'invalid_call', message });
