/** The description of the OpenAPI document: authentication, scopes, errors, limits. */
import { bodyBytesMax } from '../../models/bounds.ts';
import { type Scope, scopeSentences } from '../../routers/scopes.ts';
import { idempotencyParameter } from './operation.ts';
import { restErrors } from './responses.ts';

const scopeList = (scopes: readonly Scope[]) =>
  scopes.map((scope) => `- \`${scope}\`: ${scopeSentences[scope]}`).join('\n');

const errorList = () =>
  restErrors.map(({ status, code, when }) => `- ${status} \`${code}\`: ${when}`).join('\n');

/** CommonMark, as OpenAPI requires. */
export const introduction = (scopes: readonly Scope[]) => introduce(scopeList(scopes), errorList());

/** The same text around other presentations of the scopes and errors, also in Markdown. */
export const introduce = (
  scopes: string,
  errors: string,
) => `The public API of a game-server host, for the scripts, front ends and agents of its
customers. Endpoints are grouped by resource; every call acts as the owner of its key.

## Authentication

Every endpoint that names a scope requires an API key, sent with every request in one of two headers:

- \`Authorization: Bearer <API_KEY>\` (recommended)
- \`X-API-Key: <API_KEY>\`

An app may sign its user in by OAuth 2.1 instead, where the service offers it (\`/.well-known/oauth-protected-resource\`), and send
its access token as \`Authorization: Bearer <ACCESS_TOKEN>\`. What is said of keys here holds for access tokens, but they live
for an hour and have no \`admin:\` scope.

A key is shown once, on creation, and can be revoked at any time. Resources of other users respond with 404, exactly
like resources that do not exist.

## Scopes

A key has only the scopes granted on creation:

${scopes}

## Input

Bodies are JSON objects in UTF-8, sent as \`application/json\`, of at most ${bodyBytesMax / 1024} KiB, unless an
endpoint's 413 says otherwise. Input is strict:
an undocumented field or query parameter is refused with 400, never ignored.

## Errors

Every error is \`{"error": {"code": "...", "message": "..."}}\`. Codes are for programs and stable; messages are
for people and may change.

${errors}

## Pagination

A list that can be long comes in pages. Where its endpoint takes \`before\` or \`after\`, send the last id of one page there to get
the next: what is created in the meantime moves nothing from one page to another. \`has_more: false\`, or fewer items than
\`limit\`, says that a page is the last. Where an endpoint takes \`page\` and \`per_page\`, a page with fewer items than \`per_page\` is.

## Idempotency

Every write with an API key accepts an \`Idempotency-Key\` header, unless its response is a secret; other operations
ignore it. ${idempotencyParameter.description}

## Limits

A key may make 120 calls a minute, unless \`X-RateLimit-Limit\` says otherwise. \`X-RateLimit-Remaining\` is the number
left, \`X-RateLimit-Reset\` the Unix time of the next reset. Over the limit every call responds with 429 and
\`Retry-After\`, the seconds to wait.

## Request ids

Every response has an \`X-Request-Id\`. You can send your own: letters, digits and \`_ . : -\`, up to 128 characters.

## Versions

The path prefix names the version. Within a version, responses may gain fields and enumerations may gain values: ignore
unknown ones. What is to end says so at least six months ahead, in the headers \`Deprecation\` and \`Sunset\`.
`;
