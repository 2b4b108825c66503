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
  const { name, method, isIdempotent } = operation;
  const headers: Request['headers'] = {
    Accept: 'application/json',
    ...(isIdempotent && { 'Idempotency-Key': idempotencyKey }),
  };
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(input)) {
    if (value === undefined || operation.path.includes(`{${field}}`)) continue;
    if (operation.query.includes(field)) query.set(field, String(value));
    else if (operation.headers.includes(field)) headers[field.replaceAll('_', '-')] = String(value);
    // The API names a field that it does not know, except in a read, which has no body.
    else if (method === 'GET') throw invalidCall(`${name} has no field ${field}`);
    else body[field] = value;
  }
  const search = String(query) && `?${query}`;
  const path = pathOf(operation, input) + search;
  if (Object.keys(body).length === 0) return { path, headers, body: null };
  return { path, headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

const pathOf = ({ name, path }: Operation, input: Input): string =>
  path.replace(/\{(\w+)\}/g, (_, field) => {
    const value = String(input[field] ?? '');
    // An empty segment or one of dots would lead to another operation; half a character has no encoding.
    if (/^\.{0,2}$|\p{Surrogate}/u.test(value)) throw invalidCall(`${name} needs ${field}`);
    return encodeURIComponent(value);
  });

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
