/** An answer as the document shows it: what is in it, and the headers that it carries, each of which is described once. */
import { type Operation, takesIdempotencyKey } from './idempotency-key.ts';
import type { Schema } from './openapi-schema.ts';

export interface Header {
  description: string;
  /** Whether it is there in every answer that refers to it. */
  required: boolean;
  schema: Schema;
}

const header = (description: string, schema: Schema): Header => ({ description, required: true, schema });
const sometimes = (description: string, schema: Schema): Header => ({ description, required: false, schema });

export const headers = {
  'X-Request-Id': header(
    'Names the request in our logs. An id that you sent is kept; tell it to us when something went wrong.',
    { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
  ),
  'X-RateLimit-Limit': header('Calls a minute that the key may make.', { type: 'integer', minimum: 1 }),
  'X-RateLimit-Remaining': header('Calls that the key has left in the minute under way.', {
    type: 'integer',
    minimum: 0,
  }),
  'X-RateLimit-Reset': header('When the minute under way ends, in whole seconds since 1970.', {
    type: 'integer',
    format: 'int64',
  }),
  'Retry-After': sometimes(
    'Whole seconds to wait before the next try: with 409, 429 and 503 always, with 502 when the panel has named a time.',
    { type: 'integer', minimum: 1 },
  ),
  'Idempotency-Replayed': sometimes(
    'There when this is the first answer to the Idempotency-Key, given again; nothing was done anew.',
    { type: 'string', enum: ['true'] },
  ),
  'WWW-Authenticate': header('Bearer, with error="invalid_token" when the key that was sent is not valid.', {
    type: 'string',
  }),
} satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;

export const rateHeaders: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Only what may be a kept answer can be one given again. */
export const replayHeaders = (row: Operation): HeaderName[] =>
  takesIdempotencyKey(row) ? ['Idempotency-Replayed'] : [];

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
