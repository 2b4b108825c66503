/** The responses of an operation in the OpenAPI document, with their headers and errors; and when each error occurs. */
import { bodyBytesMax } from '../../models/bounds.ts';
import {
  asApiError,
  type ErrorCode,
  errorTable,
  forbiddenAddress,
  insufficientScope,
  keyRefusals,
  notFound,
  overloaded,
  panelBusy,
  preconditionFailed,
  rateLimited,
  stillInProgress,
  tryLater,
} from '../../routers/errors.ts';
import { isAdminScope } from '../../routers/scopes.ts';
import { payloadTooLarge } from '../json.ts';
import type { Schema } from '../json-schema.ts';
import { type Operation, takesIdempotencyKey } from '../operations.ts';
import { takesIfMatch } from '../preconditions.ts';
import { takesBody } from '../rest/input.ts';
import { badInputMessage, type ComponentSchemas } from './schema.ts';

const header = (description: string, schema: Schema) => ({ description, required: true, schema });

/** As `required` says whether every response that refers to a header has it. */
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
  'Retry-After': {
    description:
      'Whole seconds to wait before a retry. Always present with 429 and 503; with 409 when another request is in progress, with 502 if the panel named a time.',
    required: false,
    schema: { type: 'integer', minimum: 1 },
  },
  'Idempotency-Replayed': {
    description:
      'Present when this is a replay of the first response to the Idempotency-Key; nothing was done again.',
    required: false,
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: header('The version of the resource, for `If-Match` of a later change.', { type: 'string' }),
  'WWW-Authenticate': header('Bearer, with error="invalid_token" when the key is invalid.', {
    type: 'string',
  }),
};

type HeaderName = keyof typeof headers;

export type DocumentedResponse = ReturnType<typeof describeResponse>;

const describeResponse = (
  description: string,
  headerNames: readonly HeaderName[],
  content: { schema: Schema; example?: unknown },
) => ({
  description,
  headers: Object.fromEntries(headerNames.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  content: { 'application/json': content },
});

const rateHeaders: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** For responses that can be stored and replayed. */
const replayHeaders = (operation: Operation): HeaderName[] =>
  takesIdempotencyKey(operation) ? ['Idempotency-Replayed'] : [];

export const successResponse = (description: string, operation: Operation, schema: Schema) =>
  describeResponse(
    description,
    [
      'X-Request-Id',
      ...(needsKey(operation) ? rateHeaders : []),
      ...replayHeaders(operation),
      ...(operation.versioned ? (['ETag'] as const) : []),
    ],
    { schema },
  );

const needsKey = ({ scope }: Operation) => scope !== null;
/** What is open to all and only read is served from memory. */
const mayFailUnderLoad = (operation: Operation) => needsKey(operation) || operation.type === 'mutation';
const takesInput = ({ input }: Operation) => Object.keys(input.shape).length > 0;

interface DocumentedError {
  /** When it occurs, unless an endpoint describes it more exactly. */
  when: string;
  remedy: string;
  /** The message of this error for an operation; null: the operation never ends with it. */
  messageFor: (operation: Operation) => string | null;
  whenFor?: (operation: Operation) => string | undefined;
  /** It is answered before a call is counted, or where counting failed. */
  isUncounted?: true;
  mayHaveRetryAfter?: true;
  /** It may leave open whether the write happened. */
  isReplayable?: true;
}

/** A customer's 404 does not tell a missing thing from another user's. Staff reach the things of all users. */
function describeMissing({ refusals, scope }: Operation): string | undefined {
  const { missing = [], not_found: exact } = refusals ?? {};
  if (exact || missing.length === 0) return exact;
  const sentence = `There is no such ${alternatives.format(missing.map((name) => name.toLowerCase()))}`;
  return isAdminScope(scope ?? '') ? `${sentence}.` : `${sentence}, or it belongs to another user.`;
}

/** As in "a, b or c". */
const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const forbiddenAddressWhen = 'The key may not be used from the address that the message names.';
const insufficientScopeWhen = 'The key lacks the scope that the message names.';
const conflictWhen =
  'The first request with this Idempotency-Key is still in progress; retry after Retry-After seconds.';

const documentedErrors = {
  bad_request: {
    when: 'The request is not valid; the message names the field and its rule.',
    remedy: 'Fix what the message names. The same request will fail again.',
    messageFor: (operation) => (takesInput(operation) ? badInputMessage(operation) : null),
    whenFor: ({ refusals }) => refusals?.bad_request,
  },
  unauthorized: {
    when: 'The key is missing, malformed, unknown, expired, revoked or suspended; the message says which.',
    remedy: 'Send one complete key in one header. If it expired or was revoked, create a new one.',
    messageFor: (operation) => (needsKey(operation) ? keyRefusals.missing.message : null),
    isUncounted: true,
  },
  insufficient_scope: {
    when: insufficientScopeWhen,
    remedy:
      'Create a key with the scope, or sign in again with it. Scopes cannot be added to an existing key.',
    messageFor: ({ scope }) => (scope && scope !== 'any' ? insufficientScope(scope).message : null),
    whenFor: () => `${insufficientScopeWhen} Or, as forbidden_address: ${forbiddenAddressWhen}`,
  },
  forbidden_address: {
    when: forbiddenAddressWhen,
    remedy: 'Call from an address that the key is restricted to, or use another key.',
    // Where a scope is needed, insufficient_scope has the same status and says both.
    messageFor: ({ scope }) => (scope === 'any' ? forbiddenAddress('203.0.113.7').message : null),
    isUncounted: true,
  },
  not_found: {
    when: 'It does not exist, or it belongs to another user.',
    remedy: 'Check the path, the slug or id, and which account the key belongs to.',
    // The last is the thing itself; those before it are what it belongs to.
    messageFor: ({ refusals }) =>
      refusals?.missing ? notFound(refusals.missing.at(-1) ?? '').message : null,
    whenFor: describeMissing,
  },
  method_not_allowed: {
    when: 'The path does not support this method; Allow lists those it does.',
    remedy: 'Use one of the methods in `Allow`.',
    messageFor: () => null, // belongs to paths, not to operations
  },
  conflict: {
    when: conflictWhen,
    remedy:
      'With `Retry-After`, wait so many seconds and send the same request again; else change what the message names.',
    messageFor: (operation) => (takesIdempotencyKey(operation) ? stillInProgress().message : null),
    whenFor: ({ refusals }) => refusals?.conflict && `${refusals.conflict} ${conflictWhen}`,
    mayHaveRetryAfter: true,
  },
  precondition_failed: {
    when: 'The resource is not the version that If-Match names; read it again.',
    remedy: 'Read it again: somebody else changed it. Then decide, and send the new `ETag`.',
    messageFor: (operation) => (takesIfMatch(operation) ? preconditionFailed().message : null),
  },
  payload_too_large: {
    when: `The body exceeds ${bodyBytesMax / 1024} KiB, or what the message names.`,
    remedy: 'Send a smaller body.',
    messageFor: (operation) =>
      takesBody(operation) ? payloadTooLarge(operation.bodyBytesMax ?? bodyBytesMax).message : null,
  },
  rate_limited: {
    when: 'The key has used all its calls for this minute, or its owner has too many calls in progress; retry after Retry-After seconds.',
    remedy: 'Wait for `Retry-After` seconds, then continue. Spread calls out if it happens often.',
    messageFor: (operation) => (mayFailUnderLoad(operation) ? rateLimited(30).message : null),
    mayHaveRetryAfter: true,
  },
  internal_error: {
    when: 'An error on our side; report the X-Request-Id.',
    remedy: 'Retry once. If it persists, send us the `X-Request-Id`.',
    messageFor: (operation) => (mayFailUnderLoad(operation) ? asApiError(null).message : null),
    isUncounted: true,
    isReplayable: true,
  },
  upstream_error: {
    when: 'The provisioning panel failed, refused the request or did not respond.',
    remedy:
      'Retry, after `Retry-After` seconds if the header is present; not where the message says that a retry does not help.',
    messageFor: ({ refusals }) => (refusals?.upstream_error ? tryLater(panelBusy) : null),
    whenFor: ({ refusals }) => refusals?.upstream_error,
    mayHaveRetryAfter: true,
    isReplayable: true,
  },
  overloaded: {
    when: 'The service or its database is busy or cannot be reached. Nothing was done, unless the message says that a write may have happened.',
    remedy:
      'Wait for `Retry-After` seconds and send the same request again, a write with the same Idempotency-Key.',
    messageFor: (operation) => (mayFailUnderLoad(operation) ? overloaded().message : null),
    isUncounted: true,
    mayHaveRetryAfter: true,
  },
} satisfies Partial<Record<ErrorCode, DocumentedError>>;

/** The error codes of the REST API, in the order of their statuses. */
export const restErrors = Object.entries<DocumentedError>(documentedErrors).map(([name, error]) => {
  const code = name as keyof typeof documentedErrors; // Object.entries forgets its own keys
  return { ...error, code, status: errorTable[code].status };
});

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
          knownValues: restErrors.map(({ code }) => code),
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
  const responses = restErrors.flatMap(({ code, status, whenFor, when, ...error }) => {
    const message = error.messageFor(operation);
    if (message === null) return [];
    const content = { schema, example: { error: { code, message } } };
    const names: HeaderName[] = [
      'X-Request-Id',
      ...(needsKey(operation) && !error.isUncounted ? rateHeaders : []),
      ...(code === 'unauthorized' ? (['WWW-Authenticate'] as const) : []),
      ...(error.mayHaveRetryAfter ? (['Retry-After'] as const) : []),
      ...(error.isReplayable ? replayHeaders(operation) : []),
    ];
    return [[status, describeResponse(whenFor?.(operation) ?? when, names, content)] as const];
  });
  return Object.fromEntries(responses);
}
