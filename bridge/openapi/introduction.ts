/** The description of the OpenAPI document, in sections: authentication, scopes, errors, limits. */
import { bodyBytesMax } from '../../models/bounds.ts';
import { type Scope, scopeSentences } from '../../routers/scopes.ts';
import { idempotencyParameter } from './operation.ts';
import { restErrors } from './responses.ts';

const scopeList = (scopes: readonly Scope[]) =>
  scopes.map((scope) => `- \`${scope}\`: ${scopeSentences[scope]}`).join('\n');

const errorList = () =>
  restErrors.map(({ status, code, when }) => `- ${status} \`${code}\`: ${when}`).join('\n');

/** A part of the guide, in CommonMark. */
export interface Section {
  /** Identifies it in URLs. */
  name: string;
  title: string;
  /** A sentence for lists of sections. */
  summary: string;
  text: string;
}

/** Introduces the API, before the sections. */
export const lead =
  'The public API of a game-server host, for the scripts, front ends and agents of its customers. ' +
  'Endpoints are grouped by resource; every call acts as the owner of its key.';

/** CommonMark, as OpenAPI requires. */
export const introduction = (scopes: readonly Scope[]) =>
  [lead, ...commonSections(scopeList(scopes), errorList()).map((section) => writeSection(section))].join(
    '\n\n',
  );

/** @param level of its heading */
export const writeSection = ({ title, text }: Section, level = 2) =>
  `${'#'.repeat(level)} ${title}\n\n${text}`;

const authentication: Section = {
  name: 'authentication',
  title: 'Authentication',
  summary: 'How to send a key or an access token, and how both end.',
  text: `Every endpoint that names a scope requires an API key, sent with every request in one of two headers:

- \`Authorization: Bearer <API_KEY>\` (recommended)
- \`X-API-Key: <API_KEY>\`

An app may sign its user in by OAuth 2.1 instead, where the service offers it (\`/.well-known/oauth-protected-resource\`), and send
its access token as \`Authorization: Bearer <ACCESS_TOKEN>\`. What is said of keys here holds for access tokens, but they live
for an hour and have no \`admin:\` scope.

A key is shown once, on creation, and can be revoked at any time. Resources of other users respond with 404, exactly
like resources that do not exist.`,
};

const scopesSection = (scopes: string): Section => ({
  name: 'scopes',
  title: 'Scopes',
  summary: 'The rights that each scope of a key grants.',
  text: `A key has only the scopes granted on creation:

${scopes}`,
});

const input: Section = {
  name: 'input',
  title: 'Input',
  summary: 'How to send a body, and what is refused in it.',
  text: `Bodies are JSON objects in UTF-8, sent as \`application/json\`, of at most ${bodyBytesMax / 1024} KiB, unless an
endpoint's 413 says otherwise. Input is strict:
an undocumented field or query parameter is refused with 400, never ignored.`,
};

const errorCodes = (errors: string): Section => ({
  name: 'errors',
  title: 'Errors',
  summary: 'The form of every error, and each code with its cause.',
  text: `Every error is \`{"error": {"code": "...", "message": "..."}}\`. Codes are for programs and stable; messages are
for people and may change.

${errors}`,
});

const pagination: Section = {
  name: 'pagination',
  title: 'Pagination',
  summary: 'How to read a list page by page.',
  text: `A list that can be long comes in pages. Where its endpoint takes \`before\` or \`after\`, send the last id of one page there to get
the next: what is created in the meantime moves nothing from one page to another. \`has_more: false\`, or fewer items than
\`limit\`, says that a page is the last. Where an endpoint takes \`page\` and \`per_page\`, a page with fewer items than \`per_page\` is.`,
};

const idempotency: Section = {
  name: 'idempotency',
  title: 'Idempotency',
  summary: 'How to retry a write so that it is made once.',
  text: `Every write with an API key accepts an \`Idempotency-Key\` header, unless its response is a secret; other operations
ignore it. ${idempotencyParameter.description}`,
};

const limits: Section = {
  name: 'limits',
  title: 'Limits',
  summary: 'How many calls a key may make, and how to see what is left.',
  text: `A key may make 120 calls a minute, unless \`X-RateLimit-Limit\` says otherwise. \`X-RateLimit-Remaining\` is the number
left, \`X-RateLimit-Reset\` the Unix time of the next reset. Over the limit every call responds with 429 and
\`Retry-After\`, the seconds to wait.`,
};

const requestIds: Section = {
  name: 'request-ids',
  title: 'Request ids',
  summary: 'How to name a request in a report of a problem.',
  text: `Every response has an \`X-Request-Id\`. You can send your own: letters, digits and \`_ . : -\`, up to 128 characters.`,
};

const versions: Section = {
  name: 'versions',
  title: 'Versions',
  summary: 'Changes within a version, and how the end of something is announced.',
  text: `The path prefix names the version. Within a version, responses may gain fields and enumerations may gain values: ignore
unknown ones. What is to end says so at least six months ahead, in the headers \`Deprecation\` and \`Sunset\`.`,
};

/**
 * The sections on what all calls have in common.
 * @param scopes the list of them, in Markdown
 * @param errors the same
 */
export const commonSections = (scopes: string, errors: string): Section[] => [
  authentication,
  scopesSection(scopes),
  input,
  errorCodes(errors),
  pagination,
  idempotency,
  limits,
  requestIds,
  versions,
];
