/** Responses of the OpenAPI document, and the headers they refer to. */
import type { Schema } from '../json-schema.ts';
import { type Idempotent, takesIdempotencyKey } from '../operations.ts';

export interface Header {
  description: string;
  /** Whether every response that refers to it has it. */
  required: boolean;
  schema: Schema;
}

const header = (description: string, schema: Schema): Header => ({ description, required: true, schema });
const optionalHeader: typeof header = (description, schema) => ({
  ...header(description, schema),
  required: false,
});

export const headers = {
  'X-Request-Id': header(
    'Identifies the request in our logs; include it when you report a problem. An id that you send is kept.',
    { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
  ),
  'X-RateLimit-Limit': header('Calls per minute that the key may make.', { type: 'integer', minimum: 1 }),
  'X-RateLimit-Remaining': header('Calls left in the current minute.', { type: 'integer', minimum: 0 }),
  'X-RateLimit-Reset': header('When the current minute ends, in Unix seconds.', {
    type: 'integer',
    format: 'int64',
  }),
  'Retry-After': optionalHeader(
    'Whole seconds to wait before a retry. Always present with 429 and 503; with 409 when another request is in progress, with 502 if the panel named a time.',
    { type: 'integer', minimum: 1 },
  ),
  'Idempotency-Replayed': optionalHeader(
    'Present when this is a replay of the first response to the Idempotency-Key; nothing was done again.',
    { type: 'string', enum: ['true'] },
  ),
  ETag: header('The version of the resource, for `If-Match` of a later change.', { type: 'string' }),
  'WWW-Authenticate': header('Bearer, with error="invalid_token" when the key is invalid.', {
    type: 'string',
  }),
} satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;

export const rateHeaders: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** For responses that can be stored and replayed. */
export const replayHeaders = (operation: Idempotent): HeaderName[] =>
  takesIdempotencyKey(operation) ? ['Idempotency-Replayed'] : [];

export interface DocumentedResponse {
  description: string;
  headers: Record<string, { $ref: string }>;
  content: { 'application/json': { schema: Schema; example?: unknown } };
}

export const describeResponse = (
  description: string,
  headerNames: readonly HeaderName[],
  content: { schema: Schema; example?: unknown },
): DocumentedResponse => ({
  description,
  headers: Object.fromEntries(headerNames.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  content: { 'application/json': content },
});
