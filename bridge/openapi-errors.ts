/** The failures that one operation can answer with: when each comes, how it reads, and the headers it carries. */
import {
  asApiError,
  conflict,
  errorTable,
  insufficientScope,
  overloaded,
  rateLimited,
  unauthorized,
} from '../routers/errors.ts';
import type { Row } from './catalogue.ts';
import { takesIdempotencyKey } from './idempotency-key.ts';
import { bodyBytesMax, payloadTooLarge } from './json-body.ts';
import { errorSentences, type RestErrorCode, restErrorCodes } from './openapi-error-codes.ts';
import { badInputMessage } from './openapi-example.ts';
import {
  type DocumentedResponse,
  describeResponse,
  type HeaderName,
  rateHeaders,
  replayHeaders,
} from './openapi-response.ts';

/** The error responses of a row, by status. */
export function errorResponses(row: Row): Record<string, DocumentedResponse> {
  const responses = restErrorCodes.flatMap((code) => {
    const message = messageOf[code](row);
    return message === null ? [] : [[errorTable[code].status, errorResponse(row, code, message)] as const];
  });
  return Object.fromEntries(responses);
}

const errorResponse = (row: Row, code: RestErrorCode, message: string) =>
  describeResponse(whenOf(code, row), headersOf(code, row), {
    schema: { $ref: '#/components/schemas/Error' },
    example: { error: { code, message } },
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
  conflict: (row) => (takesIdempotencyKey(row) ? conflict().message : null),
  payload_too_large: ({ method }) => (method === 'POST' ? payloadTooLarge(bodyBytesMax).message : null),
  rate_limited: (row) => (isKeyed(row) ? rateLimited(30).message : null),
  internal_error: (row) => (isKeyed(row) ? asApiError(null).message : null),
  upstream_error: ({ refusals }) => refusals?.upstream_error?.message ?? null,
  overloaded: (row) => (isKeyed(row) ? overloaded().message : null),
};

function whenOf(code: RestErrorCode, { refusals = {} }: Row): string {
  const own: Partial<Record<RestErrorCode, string | undefined>> = {
    bad_request: refusals.bad_request,
    not_found: refusals.not_found?.when,
    upstream_error: refusals.upstream_error?.when,
  };
  return own[code] ?? errorSentences[code];
}

/** A key is counted once it is verified, which some failures come before. */
function headersOf(code: RestErrorCode, row: Row): HeaderName[] {
  const isCounted = isKeyed(row) && !canComeUncounted.includes(code);
  return [
    'X-Request-Id',
    ...(isCounted ? rateHeaders : []),
    ...(code === 'unauthorized' ? (['WWW-Authenticate'] as const) : []),
    ...(canSayWhen.includes(code) ? (['Retry-After'] as const) : []),
    ...(canBeKept.includes(code) ? replayHeaders(row) : []),
  ];
}

const canComeUncounted: RestErrorCode[] = ['unauthorized', 'internal_error', 'overloaded'];

const canSayWhen: RestErrorCode[] = ['conflict', 'rate_limited', 'upstream_error', 'overloaded'];

/** Failures that can leave open what was done. */
const canBeKept: RestErrorCode[] = ['internal_error', 'upstream_error'];
