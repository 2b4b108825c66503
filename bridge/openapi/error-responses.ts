/** The error responses of one operation: when each occurs, its example and its headers. */
import {
  asApiError,
  conflict,
  errorTable,
  insufficientScope,
  overloaded,
  rateLimited,
  unauthorized,
} from '../../routers/errors.ts';
import { takesIdempotencyKey } from '../http/idempotency-key.ts';
import { bodyBytesMax, payloadTooLarge } from '../http/json-body.ts';
import type { Operation } from '../operations.ts';
import { takesBody } from '../rest/input.ts';
import type { ComponentSchemas } from './component-schemas.ts';
import { errorResponseSchema, errorSentences, type RestErrorCode, restErrorCodes } from './error-codes.ts';
import { badInputMessage } from './examples.ts';
import {
  type DocumentedResponse,
  describeResponse,
  type HeaderName,
  rateHeaders,
  replayHeaders,
} from './response.ts';
import type { Schema } from './schema.ts';

/** By status. */
export function errorResponses(
  operation: Operation,
  components: ComponentSchemas,
): Record<string, DocumentedResponse> {
  const schema = components.addResponse(errorResponseSchema, 'ErrorResponse');
  const responses = restErrorCodes.flatMap((code) => {
    const message = messageOf[code](operation);
    return message === null
      ? []
      : [[errorTable[code].status, errorResponse(operation, code, { schema, message })] as const];
  });
  return Object.fromEntries(responses);
}

const errorResponse = (
  operation: Operation,
  code: RestErrorCode,
  { schema, message }: { schema: Schema; message: string },
) =>
  describeResponse(whenOf(code, operation), headersOf(code, operation), {
    schema,
    example: { error: { code, message } },
  });

const isKeyed = ({ scope }: Operation) => scope !== null;
const takesInput = ({ input }: Operation) => Object.keys(input.shape).length > 0;

/** The message of each error that the operation can end with; null for the others. */
const messageOf: Record<RestErrorCode, (operation: Operation) => string | null> = {
  bad_request: (operation) => (takesInput(operation) ? badInputMessage(operation) : null),
  unauthorized: (operation) => (isKeyed(operation) ? unauthorized('missing').message : null),
  insufficient_scope: ({ scope }) => (scope && scope !== 'any' ? insufficientScope(scope).message : null),
  not_found: ({ refusals }) => refusals?.not_found?.message ?? null,
  method_not_allowed: () => null, // belongs to paths, not to operations
  conflict: (operation) => (takesIdempotencyKey(operation) ? conflict().message : null),
  payload_too_large: (operation) => (takesBody(operation) ? payloadTooLarge(bodyBytesMax).message : null),
  rate_limited: (operation) => (isKeyed(operation) ? rateLimited(30).message : null),
  internal_error: (operation) => (isKeyed(operation) ? asApiError(null).message : null),
  upstream_error: ({ refusals }) => refusals?.upstream_error?.message ?? null,
  overloaded: (operation) => (isKeyed(operation) ? overloaded().message : null),
};

function whenOf(code: RestErrorCode, { refusals = {} }: Operation): string {
  const own: Partial<Record<RestErrorCode, string | undefined>> = {
    bad_request: refusals.bad_request,
    conflict: refusals.conflict && `${refusals.conflict} ${errorSentences.conflict}`,
    not_found: refusals.not_found?.when,
    upstream_error: refusals.upstream_error?.when,
  };
  return own[code] ?? errorSentences[code];
}

/** Rate-limit headers require a verified key, which some errors precede. */
function headersOf(code: RestErrorCode, operation: Operation): HeaderName[] {
  const isCounted = isKeyed(operation) && !precedesCount.includes(code);
  return [
    'X-Request-Id',
    ...(isCounted ? rateHeaders : []),
    ...(code === 'unauthorized' ? (['WWW-Authenticate'] as const) : []),
    ...(hasRetryAfter.includes(code) ? (['Retry-After'] as const) : []),
    ...(isReplayable.includes(code) ? replayHeaders(operation) : []),
  ];
}

const precedesCount: RestErrorCode[] = ['unauthorized', 'internal_error', 'overloaded'];

const hasRetryAfter: RestErrorCode[] = ['conflict', 'rate_limited', 'upstream_error', 'overloaded'];

/** Errors that leave open whether the write happened. */
const isReplayable: RestErrorCode[] = ['internal_error', 'upstream_error'];
