/** The failures that an operation can answer with: when each comes, how it reads, and the headers it carries. */
import {
  asApiError,
  type ErrorCode,
  errorTable,
  insufficientScope,
  rateLimited,
  unauthorized,
} from '../routers/errors.ts';
import type { Row } from './catalogue.ts';
import { bodyBytesMax, payloadTooLarge } from './json-body.ts';
import { badInputMessage } from './openapi-example.ts';
import { type HeaderName, headerReferences, rateHeaders } from './openapi-headers.ts';
import type { Schema } from './openapi-schema.ts';

/** The codes of the REST API, and when each comes where an endpoint says nothing more exact. */
export const errorSentences = {
  bad_request: 'The request is not valid; the message names the field and its rule.',
  unauthorized: 'The key is missing, malformed, unknown, expired or revoked; the message says which.',
  insufficient_scope: 'The key lacks the scope that the message names.',
  not_found: "There is no such thing, or it is somebody else's.",
  method_not_allowed: 'The path does not take this method; Allow names those it takes.',
  payload_too_large: `The body is longer than ${bodyBytesMax / 1024} KiB.`,
  rate_limited: 'The key has made all its calls of this minute; wait as long as Retry-After says.',
  internal_error: 'We failed; tell us the X-Request-Id.',
  upstream_error: 'The provisioning panel failed, refused or did not answer.',
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

/** The error responses of a row, by status. */
export function errorResponses(row: Row) {
  const responses = restErrorCodes.flatMap((code) => {
    const message = messageOf[code](row);
    return message === null ? [] : [[errorTable[code].status, errorResponse(row, code, message)] as const];
  });
  return Object.fromEntries(responses);
}

const errorResponse = (row: Row, code: RestErrorCode, message: string) => ({
  description: whenOf(code, row),
  headers: headerReferences(headersOf(code, row)),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      example: { error: { code, message } },
    },
  },
});

const isKeyed = ({ scope }: Row) => scope !== null;
const takesInput = ({ input }: Row) => Object.keys(input.shape).length > 0;

/** How each failure reads when a row can end in it; null when it cannot. */
const messageOf: Record<RestErrorCode, (row: Row) => string | null> = {
  bad_request: (row) => (takesInput(row) ? badInputMessage(row) : null),
  unauthorized: (row) => (isKeyed(row) ? unauthorized('missing').message : null),
  insufficient_scope: ({ scope }) => (scope && scope !== 'any' ? insufficientScope(scope).message : null),
  not_found: ({ refusals }) => refusals?.not_found?.message ?? null,
  method_not_allowed: () => null, // a failure of paths, not of operations
  payload_too_large: ({ method }) => (method === 'POST' ? payloadTooLarge(bodyBytesMax).message : null),
  rate_limited: (row) => (isKeyed(row) ? rateLimited(30).message : null),
  internal_error: (row) => (isKeyed(row) ? asApiError(null).message : null),
  upstream_error: ({ refusals }) => refusals?.upstream_error?.message ?? null,
};

function whenOf(code: RestErrorCode, { refusals = {} }: Row): string {
  const own: Partial<Record<RestErrorCode, string | undefined>> = {
    bad_request: refusals.bad_request,
    not_found: refusals.not_found?.when,
    upstream_error: refusals.upstream_error?.when,
  };
  return own[code] ?? errorSentences[code];
}

/** A key is counted once it is verified, which a failure of ours can come before. */
function headersOf(code: RestErrorCode, row: Row): HeaderName[] {
  const isCounted = isKeyed(row) && code !== 'unauthorized' && code !== 'internal_error';
  return [
    'X-Request-Id',
    ...(isCounted ? rateHeaders : []),
    ...(code === 'unauthorized' ? (['WWW-Authenticate'] as const) : []),
    ...(code === 'rate_limited' || code === 'upstream_error' ? (['Retry-After'] as const) : []),
  ];
}
