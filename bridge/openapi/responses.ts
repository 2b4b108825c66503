/** The responses of an operation in the OpenAPI document, and when each error occurs. */
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
import { openEnumKeywords } from '../../routers/schemas/common.ts';
import { isAdminScope } from '../../routers/scopes.ts';
import type { Refusal } from '../../routers/trpc.ts';
import { payloadTooLarge } from '../json.ts';
import type { Schema } from '../json-schema.ts';
import { type Operation, takesIdempotencyKey } from '../operations.ts';
import { takesIfMatch } from '../preconditions.ts';
import { takesBody } from '../rest/input.ts';
import type { Link } from './links.ts';
import { badInputMessage, type ComponentSchemas } from './schema.ts';

const header = (description: string, schema: Schema) => ({ description, required: true, schema });

/** `required` states whether every response that refers to the header has it. */
export const headers = {
  'X-Request-Id': header(
    'Identifies the request in our logs. Include it when you report a problem. If you send an id, we use it.',
    { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
  ),
  'X-RateLimit-Limit': header('How many calls the key may make per minute.', { type: 'integer', minimum: 1 }),
  'X-RateLimit-Remaining': header('How many calls are left in the current minute.', {
    type: 'integer',
    minimum: 0,
    examples: [119], // Prism mocks omit the header if they invent 0 for it
  }),
  'X-RateLimit-Reset': header('When the current minute ends, in Unix seconds.', {
    type: 'integer',
    format: 'int64',
  }),
  'Retry-After': {
    description:
      'Whole seconds to wait before a retry. Always present with 429 and 503. Present with 409 while another request is in progress, and with 502 if the panel named a time.',
    required: false,
    schema: { type: 'integer', minimum: 1 },
  },
  'Idempotency-Replayed': {
    description:
      'Present when this response replays the first one for the Idempotency-Key. Nothing was done again.',
    required: false,
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: header('The version of the resource. Send it as `If-Match` with a later change.', { type: 'string' }),
  'WWW-Authenticate': header('`Bearer`, with `error="invalid_token"` when the key is invalid.', {
    type: 'string',
  }),
};

type HeaderName = keyof typeof headers;

export type DocumentedResponse = ReturnType<typeof describeResponse> & { links?: Record<string, Link> };

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
/** Reads that need no key are served from memory, so load does not make them fail. */
const mayFailUnderLoad = (operation: Operation) => needsKey(operation) || operation.type === 'mutation';
const takesInput = ({ input }: Operation) => Object.keys(input.shape).length > 0;

interface DocumentedError {
  when: string;
  remedy: string;
  /** Null if the operation never has this error. */
  messageFor: (operation: Operation, publicUrl: string | undefined) => string | null;
  whenFor?: (operation: Operation) => string | undefined;
  /** The response lacks the rate-limit headers: it may be sent before the call is counted, or because counting failed. */
  isUncounted?: true;
  mayHaveRetryAfter?: true;
  isReplayable?: true;
}

/** A customer's 404 does not reveal another user's resource. Staff can reach the resources of all users. */
function describeMissing({ refusals, scope }: Operation): string | undefined {
  const { missing = [], not_found: exact } = refusals ?? {};
  if (exact || missing.length === 0) return exact;
  const sentence = `There is no such ${alternatives.format(missing.map((name) => name.toLowerCase()))}`;
  return isAdminScope(scope ?? '') ? `${sentence}.` : `${sentence}, or it belongs to another user.`;
}

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const forbiddenAddressWhen = 'The key cannot be used from the address that the message names.';
const insufficientScopeWhen = 'The key lacks the scope that the message names.';
const conflictWhen =
  'The first request with this Idempotency-Key is still in progress. Retry after the seconds in Retry-After.';

const ownBadRequest = ({ refusals }: Operation): Partial<Refusal> =>
  typeof refusals?.bad_request === 'string' ? { when: refusals.bad_request } : (refusals?.bad_request ?? {});

const exampleOfConflict = (operation: Operation) =>
  operation.refusals?.conflict?.example ?? (takesIdempotencyKey(operation) ? stillInProgress() : null);

const describeConflict = (operation: Operation) =>
  [operation.refusals?.conflict?.when, takesIdempotencyKey(operation) && conflictWhen]
    .filter(Boolean)
    .join(' ');

const documentedErrors = {
  bad_request: {
    when: 'The request is not valid. The message names the field and its rule.',
    remedy: 'Fix what the message names. The same request will fail again.',
    messageFor: (operation) =>
      takesInput(operation)
        ? (ownBadRequest(operation).example?.message ?? badInputMessage(operation))
        : null,
    whenFor: (operation) => ownBadRequest(operation).when,
  },
  unauthorized: {
    when: 'The key is missing, malformed, unknown, expired, revoked or suspended. The message says which.',
    remedy: 'Send one complete key in one header. If the key has expired or was revoked, create a new one.',
    messageFor: (operation) => (needsKey(operation) ? keyRefusals.missing.message : null),
    isUncounted: true,
  },
  insufficient_scope: {
    when: insufficientScopeWhen,
    remedy:
      'Create a key with the scope at the address in the message: the scopes of a key cannot change. For an app, sign in again and request it, or add it under Connected apps.',
    messageFor: ({ scope }, publicUrl) =>
      scope && scope !== 'any' ? insufficientScope(scope, publicUrl).message : null,
    whenFor: () =>
      `${insufficientScopeWhen} Or, with the code \`forbidden_address\`: ${forbiddenAddressWhen}`,
  },
  forbidden_address: {
    when: forbiddenAddressWhen,
    remedy: 'Call from an IP address that the key allows, or use another key.',
    // If the operation requires a scope, `insufficient_scope` has the same status and describes both errors.
    messageFor: ({ scope }) => (scope === 'any' ? forbiddenAddress('203.0.113.7').message : null),
    isUncounted: true,
  },
  not_found: {
    when: 'The resource does not exist, or it belongs to another user.',
    remedy: 'Check the path, the slug or id, and the account that owns the key.',
    // The last name is the resource itself; those before it are its parents.
    messageFor: ({ refusals }) =>
      refusals?.missing ? notFound(refusals.missing.at(-1) ?? '').message : null,
    whenFor: describeMissing,
  },
  method_not_allowed: {
    when: 'The path does not support this method. The header Allow lists those that it supports.',
    remedy: 'Use one of the methods in `Allow`.',
    messageFor: () => null, // paths have this error, operations do not
  },
  conflict: {
    when: conflictWhen,
    remedy:
      'With `Retry-After`, wait that many seconds and send the same request again. Otherwise, change what the message names.',
    messageFor: (operation) => exampleOfConflict(operation)?.message ?? null,
    whenFor: describeConflict,
    mayHaveRetryAfter: true,
  },
  precondition_failed: {
    when: 'The resource has changed since the version that If-Match names. Read it again.',
    remedy: 'Someone else changed the resource. Read it again, decide, and send the new `ETag`.',
    messageFor: (operation) => (takesIfMatch(operation) ? preconditionFailed().message : null),
  },
  payload_too_large: {
    when: `The body exceeds ${bodyBytesMax / 1024} KiB, or the limit that the message names.`,
    remedy: 'Send a smaller body.',
    messageFor: (operation) =>
      takesBody(operation) ? payloadTooLarge(operation.bodyBytesMax ?? bodyBytesMax).message : null,
  },
  rate_limited: {
    when: 'The key has used all its calls for this minute, or its owner has too many calls in progress. Retry after the seconds in Retry-After.',
    remedy: 'Wait for `Retry-After` seconds, then continue. If this happens often, spread your calls out.',
    messageFor: (operation) => (mayFailUnderLoad(operation) ? rateLimited(30).message : null),
    mayHaveRetryAfter: true,
  },
  internal_error: {
    when: 'An error on our side. Report the X-Request-Id.',
    remedy: 'Retry once. If it persists, send us the `X-Request-Id`.',
    messageFor: (operation) => (mayFailUnderLoad(operation) ? asApiError(null).message : null),
    isUncounted: true,
    isReplayable: true,
  },
  upstream_error: {
    when: 'The provisioning panel failed, refused the request or did not respond.',
    remedy:
      'Retry, after `Retry-After` seconds if the header is present. Do not retry if the message says that a retry does not help.',
    messageFor: ({ refusals }) => (refusals?.upstream_error ? tryLater(panelBusy) : null),
    whenFor: ({ refusals }) => refusals?.upstream_error,
    mayHaveRetryAfter: true,
    isReplayable: true,
  },
  overloaded: {
    when: 'The service is busy, or its database is busy or unreachable. Nothing was done, unless the message says that a write may have happened.',
    remedy:
      'Wait for `Retry-After` seconds and send the same request again. Repeat a write with the same `Idempotency-Key`.',
    messageFor: (operation) => (mayFailUnderLoad(operation) ? overloaded().message : null),
    isUncounted: true,
    mayHaveRetryAfter: true,
  },
} satisfies Partial<Record<ErrorCode, DocumentedError>>;

export const restErrors = Object.entries<DocumentedError>(documentedErrors).map(([name, error]) => {
  const code = name as keyof typeof documentedErrors; // Object.entries widens to string
  return { ...error, code, status: errorTable[code].status };
});

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
          description:
            'Why the call failed, for programs. The section Errors explains each code, and we may add more.',
          type: 'string',
          ...openEnumKeywords(restErrors.map(({ code }) => code)),
        },
        message: {
          type: 'string',
          description: 'The problem and how to fix it, for people. The text may change.',
        },
      },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
};

export function errorResponses(
  operation: Operation,
  components: ComponentSchemas,
  publicUrl: string | undefined,
): Record<string, DocumentedResponse> {
  const schema = components.addResponse(errorResponseSchema, 'ErrorResponse');
  const responses = restErrors.flatMap(({ code, status, whenFor, when, ...error }) => {
    const message = error.messageFor(operation, publicUrl);
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
