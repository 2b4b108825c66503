/** The error codes of the REST API, their general descriptions, and the schema of error bodies. */
import type { ErrorCode } from '../../routers/errors.ts';
import { bodyBytesMax } from '../http/json-body.ts';
import type { Schema } from './schema.ts';

/** When each code occurs, unless an endpoint describes it more exactly. */
export const errorSentences = {
  bad_request: 'The request is not valid; the message names the field and its rule.',
  unauthorized:
    'The key is missing, malformed, unknown, expired, revoked or suspended; the message says which.',
  insufficient_scope: 'The key lacks the scope that the message names.',
  not_found: 'It does not exist, or it belongs to another user.',
  method_not_allowed: 'The path does not support this method; Allow lists those it does.',
  conflict:
    'The first request with this Idempotency-Key is still in progress; retry after Retry-After seconds.',
  payload_too_large: `The body exceeds ${bodyBytesMax / 1024} KiB.`,
  rate_limited: 'The key has used all its calls for this minute; retry after Retry-After seconds.',
  internal_error: 'An error on our side; report the X-Request-Id.',
  upstream_error: 'The provisioning panel failed, refused the request or did not respond.',
  overloaded: 'Too many calls are in progress; nothing was done.',
} satisfies Partial<Record<ErrorCode, string>>;

export type RestErrorCode = keyof typeof errorSentences;

export const restErrorCodes = Object.keys(errorSentences) as RestErrorCode[]; // Object.keys forgets its own keys

/** Referred to by every error response. */
export const errorResponseSchema: Schema = {
  title: 'ErrorResponse',
  description: 'The body of every error.',
  type: 'object',
  properties: {
    error: {
      title: 'ErrorDetail',
      description: 'What went wrong.',
      type: 'object',
      properties: {
        code: {
          title: 'ErrorCode',
          description: 'For programs. More codes may be added.',
          type: 'string',
          knownValues: restErrorCodes,
        },
        message: { type: 'string', description: 'For people: what is wrong and how to fix it. May change.' },
      },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
};
