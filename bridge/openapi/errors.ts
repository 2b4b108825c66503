/** The error codes of the REST API, when each occurs, and which errors an operation's responses list. */
import { bodyBytesMax } from '../../models/bounds.ts';
import {
  asApiError,
  type ErrorCode,
  errorTable,
  forbiddenAddress,
  insufficientScope,
  keyRefusals,
  overloaded,
  preconditionFailed,
  rateLimited,
  stillInProgress,
} from '../../routers/errors.ts';
import { payloadTooLarge } from '../json.ts';
import type { Schema } from '../json-schema.ts';
import { type Operation, takesIdempotencyKey } from '../operations.ts';
import { takesIfMatch } from '../preconditions.ts';
import { takesBody } from '../rest/input.ts';
import {
  type DocumentedResponse,
  describeResponse,
  type HeaderName,
  rateHeaders,
  replayHeaders,
} from './response.ts';
import { badInputMessage, type ComponentSchemas } from './schema.ts';

/** When each code occurs, unless an endpoint describes it more exactly. */
export const errorSentences = {
  bad_request: 'The request is not valid; the message names the field and its rule.',
  unauthorized:
    'The key is missing, malformed, unknown, expired, revoked or suspended; the message says which.',
  insufficient_scope: 'The key lacks the scope that the message names.',
  forbidden_address: 'The key may not be used from the address that the message names.',
  not_found: 'It does not exist, or it belongs to another user.',
  method_not_allowed: 'The path does not support this method; Allow lists those it does.',
  conflict:
    'The first request with this Idempotency-Key is still in progress; retry after Retry-After seconds.',
  precondition_failed: 'The resource is not the version that If-Match names; read it again.',
  payload_too_large: `The body exceeds ${bodyBytesMax / 1024} KiB, or what the message names.`,
  rate_limited:
    'The key has used all its calls for this minute, or its owner has too many calls in progress; retry after Retry-After seconds.',
  internal_error: 'An error on our side; report the X-Request-Id.',
  upstream_error: 'The provisioning panel failed, refused the request or did not respond.',
  overloaded: 'The service as a whole is busy; nothing was done.',
} satisfies Partial<Record<ErrorCode, string>>;

export type RestErrorCode = keyof typeof errorSentences;

export const restErrorCodes = Object.keys(errorSentences) as RestErrorCode[]; // Object.keys forgets its own keys

/** Referred to by every error response. */
const errorResponseSchema: Schema = {
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
/** What is open to all and only read is served from memory. */
const isBounded = (operation: Operation) => isKeyed(operation) || operation.type === 'mutation';
const takesInput = ({ input }: Operation) => Object.keys(input.shape).length > 0;

const exampleAddress = '203.0.113.7';

/** The message of each error that the operation can end with; null for the others. */
const messageOf: Record<RestErrorCode, (operation: Operation) => string | null> = {
  bad_request: (operation) => (takesInput(operation) ? badInputMessage(operation) : null),
  unauthorized: (operation) => (isKeyed(operation) ? keyRefusals.missing.message : null),
  insufficient_scope: ({ scope }) => (scope && scope !== 'any' ? insufficientScope(scope).message : null),
  // Beside insufficient_scope, which has the same status, `whenOf` adds it.
  forbidden_address: ({ scope }) => (scope === 'any' ? forbiddenAddress(exampleAddress).message : null),
  not_found: ({ refusals }) => refusals?.not_found?.message ?? null,
  method_not_allowed: () => null, // belongs to paths, not to operations
  conflict: (operation) => (takesIdempotencyKey(operation) ? stillInProgress().message : null),
  precondition_failed: (operation) => (takesIfMatch(operation) ? preconditionFailed().message : null),
  payload_too_large: (operation) =>
    takesBody(operation) ? payloadTooLarge(operation.bodyBytesMax ?? bodyBytesMax).message : null,
  rate_limited: (operation) => (isBounded(operation) ? rateLimited(30).message : null),
  internal_error: (operation) => (isBounded(operation) ? asApiError(null).message : null),
  upstream_error: ({ refusals }) => refusals?.upstream_error?.message ?? null,
  overloaded: (operation) => (isBounded(operation) ? overloaded().message : null),
};

function whenOf(code: RestErrorCode, { refusals = {} }: Operation): string {
  const own: Partial<Record<RestErrorCode, string | undefined>> = {
    bad_request: refusals.bad_request,
    insufficient_scope: `${errorSentences.insufficient_scope} Or, as forbidden_address: ${errorSentences.forbidden_address}`,
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

const precedesCount: RestErrorCode[] = ['unauthorized', 'forbidden_address', 'internal_error', 'overloaded'];

const hasRetryAfter: RestErrorCode[] = ['conflict', 'rate_limited', 'upstream_error', 'overloaded'];

/** Errors that leave open whether the write happened. */
const isReplayable: RestErrorCode[] = ['internal_error', 'upstream_error'];
