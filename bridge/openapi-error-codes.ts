/** The errors of the REST API in general: their codes, when each comes, and the form they all have. */
import type { ErrorCode } from '../routers/errors.ts';
import { bodyBytesMax } from './json-body.ts';
import type { Schema } from './openapi-schema.ts';

/** The codes of the REST API, and when each comes where an endpoint says nothing more exact. */
export const errorSentences = {
  bad_request: 'The request is not valid; the message names the field and its rule.',
  unauthorized: 'The key is missing, malformed, unknown, expired or revoked; the message says which.',
  insufficient_scope: 'The key lacks the scope that the message names.',
  not_found: "There is no such thing, or it is somebody else's.",
  method_not_allowed: 'The path does not take this method; Allow names those it takes.',
  conflict:
    'The first request with the same Idempotency-Key is still under way; try again after Retry-After.',
  payload_too_large: `The body is longer than ${bodyBytesMax / 1024} KiB.`,
  rate_limited: 'The key has made all its calls of this minute; wait as long as Retry-After says.',
  internal_error: 'We failed; tell us the X-Request-Id.',
  upstream_error: 'The provisioning panel failed, refused or did not answer.',
  overloaded: 'More calls are under way than can be served in good time; nothing was done.',
} satisfies Partial<Record<ErrorCode, string>>;

export type RestErrorCode = keyof typeof errorSentences;

export const restErrorCodes = Object.keys(errorSentences) as RestErrorCode[]; // Object.keys forgets its own keys

export const errorSchema: Schema = {
  title: 'Error',
  description: 'The form of every error.',
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: {
          type: 'string',
          description: `For programs; one of ${restErrorCodes.join(', ')}. Others may be added.`,
        },
        message: { type: 'string', description: 'For people; what is wrong, and what to do about it.' },
      },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
};
