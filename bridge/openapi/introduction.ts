/** The description of the OpenAPI document, in sections that the guide shares. */
import { bodyBytesMax } from '../../models/bounds.ts';
import { type Scope, scopeSentences } from '../../routers/scopes.ts';
import { idempotencyParameter } from './operation.ts';
import { restErrors } from './responses.ts';

const scopeList = (scopes: readonly Scope[]) =>
  scopes.map((scope) => `- \`${scope}\`: ${scopeSentences[scope]}`).join('\n');

const errorList = () =>
  restErrors.map(({ status, code, when }) => `- ${status} \`${code}\`: ${when}`).join('\n');

/** In CommonMark. */
export interface Section {
  name: string;
  title: string;
  summary: string;
  text: string;
}

export const lead =
  'The public API of a game-server host, for the scripts, front ends and agents of its customers. ' +
  'Endpoints are grouped by resource. Every call acts as the owner of its key.';

export const introduction = (scopes: readonly Scope[]) =>
  [lead, ...commonSections(scopeList(scopes), errorList()).map((section) => writeSection(section))].join(
    '\n\n',
  );

export const writeSection = ({ title, text }: Section, level = 2) =>
  `${'#'.repeat(level)} ${title}\n\n${text}`;

const authentication: Section = {
  name: 'authentication',
  title: 'Authentication',
  summary: 'How to send an API key or an access token, and when each ends.',
  text: `Every endpoint that names a scope requires an API key, sent with every request in one of two headers:

- \`Authorization: Bearer <API_KEY>\` (recommended)
- \`X-API-Key: <API_KEY>\`

If the service offers OAuth 2.1 (\`/.well-known/oauth-protected-resource\`), an app can sign its user in instead. It then
sends its access token as \`Authorization: Bearer <ACCESS_TOKEN>\`. All rules for keys also apply to access tokens, except that a
token lasts one hour and has no \`admin:\` scope.

A key is shown once, when you create it. You can revoke it at any time. A request for another user's resource gets 404,
exactly like a request for one that does not exist.`,
};

const scopesSection = (scopes: string): Section => ({
  name: 'scopes',
  title: 'Scopes',
  summary: 'The rights that each scope gives a key.',
  text: `A key has only the scopes that you granted when you created it:

${scopes}`,
});

const input: Section = {
  name: 'input',
  title: 'Input',
  summary: 'How to send a body, and which fields are refused.',
  text: `Send each body as \`application/json\`: one JSON object in UTF-8, of at most ${bodyBytesMax / 1024} KiB unless the
endpoint's 413 says otherwise. Input is strict:
an undocumented field or query parameter is refused with 400, never ignored.`,
};

const errorCodes = (errors: string): Section => ({
  name: 'errors',
  title: 'Errors',
  summary: 'The form of every error, and the cause of each code.',
  text: `Every error is \`{"error": {"code": "...", "message": "..."}}\`. Codes are stable and meant for programs.
Messages are meant for people and may change.

${errors}`,
});

const pagination: Section = {
  name: 'pagination',
  title: 'Pagination',
  summary: 'How to read a list page by page.',
  text: `A list that can be long is split into pages. If its endpoint takes \`before\` or \`after\`, send the last id of one page there to
get the next page. Items created in the meantime do not move others to another page. The last page has \`has_more: false\` or
fewer items than \`limit\`. If an endpoint takes \`page\` and \`per_page\`, the last page has fewer items than \`per_page\`.`,
};

const idempotency: Section = {
  name: 'idempotency',
  title: 'Idempotency',
  summary: 'How to retry a write so that it happens once.',
  text: `Every write with an API key accepts an \`Idempotency-Key\` header, unless its response is a secret. Other operations
ignore the header. ${idempotencyParameter.description}`,
};

const limits: Section = {
  name: 'limits',
  title: 'Limits',
  summary: 'How many calls a key may make, and how to see how many are left.',
  text: `A key may make 120 calls a minute, unless \`X-RateLimit-Limit\` says otherwise. \`X-RateLimit-Remaining\` is the number of calls
left, and \`X-RateLimit-Reset\` is the Unix time of the next reset. Every call over the limit gets 429 and
\`Retry-After\`, the number of seconds to wait.`,
};

const requestIds: Section = {
  name: 'request-ids',
  title: 'Request ids',
  summary: 'How to identify a request when you report a problem.',
  text: `Every response has an \`X-Request-Id\`. You can send your own id: up to 128 letters, digits and \`_ . : -\`.`,
};

const versions: Section = {
  name: 'versions',
  title: 'Versions',
  summary: 'Changes within a version, and how removals are announced.',
  text: `The path prefix names the version. Within a version, responses may gain fields, and strings with \`x-extensible-enum\` may
gain values: accept unknown ones. Removals are announced at least six months ahead, in the headers \`Deprecation\` and \`Sunset\`.`,
};

const codeGenerators: Section = {
  name: 'code-generators',
  title: 'Code generators',
  summary: 'The extensions of the OpenAPI document, for generated clients.',
  text: `The OpenAPI document has extensions for programs that generate clients:

- \`x-extensible-enum\` lists the known values of a string; a later version may add more. A closed list is an \`enum\`.
- \`x-required-scope\`: the scope that a key or a token needs for the operation.
- \`x-destructive: true\`: the operation deletes, restores or reinstalls something. Ask a person first.
- \`x-command\`: the operation's name in the command \`gamehost\`, within the group of its tag. Without it, the name is the words of
  the operationId except \`My\`, \`Server\`, the tag and a final \`To\`: \`listMyServers\` is \`gamehost servers list\`.
- \`x-pagination\`: the operation returns a list page by page.
  - \`list\`: the field of the response that has the items.
  - \`parameter\`: the query parameter that selects the next page.
  - \`field\`: the field of the last item whose value that parameter takes. Null: the parameter takes 1, 2, 3 and so on.
  - \`size\`: the query parameter for the length of a page. Null: the service chooses the length.
  - \`more\`: the field of the response that is true while there are more items. Null: the last page has fewer items than
    \`size\`.

The \`links\` of a response name operations to call next, and the values that they take from it. If apps can sign in, the security
scheme \`oauth2\` has the addresses and scopes, and each operation that they can call names its scope there.`,
};

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
  codeGenerators,
];
