/** The first words of the document, for whoever has never seen this service: keys, scopes, errors, limits. */
import { errorTable } from '../routers/errors.ts';
import { scopeSentences } from '../routers/scopes.ts';
import { bodyBytesMax } from './json-body.ts';
import { errorSentences, restErrorCodes } from './openapi-error-codes.ts';
import { idempotencyParameter } from './openapi-idempotency.ts';

const scopeList = () =>
  Object.entries(scopeSentences)
    .map(([scope, sentence]) => `- \`${scope}\`: ${sentence}`)
    .join('\n');

const errorList = () =>
  restErrorCodes
    .map((code) => `- ${errorTable[code].status} \`${code}\`: ${errorSentences[code]}`)
    .join('\n');

/** CommonMark, as OpenAPI wants it. */
export const introduction = () => introduce({ scopes: scopeList(), errors: errorList() });

/** The same words around other ways to show the scopes and the errors, in Markdown too. */
export const introduce = ({
  scopes,
  errors,
}: {
  scopes: string;
  errors: string;
}) => `The public API of a game-server host, for the scripts, front ends and agents of its
customers. Each tag below is one thing to work with; every call acts as the owner of its key.

## Authentication

Every endpoint but \`GET /openapi.json\` needs an API key, sent with every request in one of two headers:

- \`Authorization: Bearer <API_KEY>\` (recommended)
- \`X-API-Key: <API_KEY>\`

A key is shown once, when it is created, and can be revoked at any time. What belongs to somebody else answers 404,
exactly like what does not exist.

## Scopes

A key carries only the scopes that it was given:

${scopes}

## Input

Bodies are JSON objects in UTF-8, sent as \`application/json\`, of at most ${bodyBytesMax / 1024} KiB. Input is strict:
a field or query parameter that is not described here is refused with 400, never ignored.

## Errors

Every error is \`{"error": {"code": "...", "message": "..."}}\`. The code is for programs and does not change; the
message is for people and may.

${errors}

## Idempotency

Every write takes an \`Idempotency-Key\` header. ${idempotencyParameter.description}

## Limits

A key may make 120 calls a minute, unless \`X-RateLimit-Limit\` says otherwise. \`X-RateLimit-Remaining\` says how many
are left and \`X-RateLimit-Reset\`, in seconds since 1970, when the count begins anew. Over the limit every call answers
429 with \`Retry-After\`; waiting for so many seconds is enough.

## Request ids

Every answer has an \`X-Request-Id\`. Send one of your own (letters, digits and \`_ . : -\`, up to 128) and it is kept.

## Versions

The path prefix names the version. Within it answers may gain fields: ignore those that you do not know.
`;
