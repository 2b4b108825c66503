/** The guide in Markdown: the introduction of the OpenAPI document, a first call, errors and scopes as tables, and MCP set-up. */
import { scopeSentences } from '../../routers/scopes.ts';
import type { Tag } from '../../routers/tags.ts';
import { discoveryPaths } from '../discovery/well-known.ts';
import { mcpPath } from '../mcp/mcp.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { introduce } from '../openapi/introduction.ts';
import { restErrors } from '../openapi/responses.ts';
import type { Operation } from '../operations.ts';
import type { Brand } from '../pages/brand.ts';
import { restPrefix } from '../rest/rest.ts';
import { type DocumentedOperation, linkTo, operationsOf, writeTable } from './markdown.ts';
import { writeWebhooks } from './webhooks.ts';

export interface GuideOptions {
  brand: Brand;
  operations: readonly Operation[];
  document: OpenApiDocument;
  /** The absolute URL at which the client reaches the service. */
  baseUrl: string;
  /** The page on which people manage what is theirs. */
  accountPath: string;
  /** Whether agents may sign their users in by themselves. */
  hasApps: boolean;
  /** An operation that any valid key may call, to test a key with. */
  probePath: string;
  /** The URL path of the page; its files are one level below. */
  docsPath: string;
  examples: readonly Example[];
}

/** A program to copy. */
export interface Example {
  /** Of its two files, without their extensions. */
  name: string;
  readme: string;
}

/** The first paragraph says what the API is. */
export function writeGuide(options: GuideOptions): string {
  const operations = operationsOf(options.document);
  const introduction = introduce(writeScopes(operations), writeErrors());
  const firstSection = introduction.indexOf('\n## ');
  return [
    introduction.slice(0, firstSection),
    writeFirstCall(options),
    introduction.slice(firstSection),
    writeSafeKeys(operations, options),
    writeWebhooks(options.document, options.accountPath),
    writeMcp(options),
    writeForPrograms(options),
    writeExamples(options),
  ].join('\n');
}

const writeFirstCall = ({ brand, baseUrl, accountPath, probePath }: GuideOptions) => `## First call

Create a key on the [API keys page](${accountPath}#keys), export it in your shell, and call:

\`\`\`sh
export GAMEHOST_KEY=${brand.keyPrefix}_live_...
curl -H "Authorization: Bearer $GAMEHOST_KEY" \\
  ${baseUrl}${probePath}
\`\`\`

All paths are relative to \`${baseUrl}${restPrefix}\`. You can try each of them [below](#endpoints).

What you write for others can send them to the form filled in, at
\`${baseUrl}${accountPath}/keys/new?name=My+bot&scopes=read:account,write:servers\`, where \`servers\` (identifiers, with commas) and
\`expires_in_days\` may follow. The link itself creates nothing.
`;

/** What owners of keys do for their safety, with links to the endpoints under two tags. */
const writeSafeKeys = (
  operations: readonly DocumentedOperation[],
  { brand, baseUrl, accountPath }: GuideOptions,
): string => `## Keys you can trust with less

**Restrict a key** when you create it on the [API keys page](${accountPath}#keys): to some of your servers, and to the addresses and
ranges that it is used from. All other servers then answer 404, as if they did not exist, and a call from elsewhere gets 403
\`forbidden_address\`, which names the address that was seen. Tickets and subscriptions belong to no server: a key with the scopes
for them has all of yours. A rotation keeps both restrictions. Give a key an expiry, too.

**See what a key did** under Activity on that page, or with ${linksUnder('Activity', operations)}: every call of 90 days with
its outcome and address, and the sums by day and by key. A key that is restricted to servers sees its own calls only.

**Report a leaked key** or token, yours or not, with ${linksUnder('Security', operations)}. It needs no key, ends what was
sent at once, and answers the same whether it existed; its owner sees when and why it ended:

\`\`\`sh
curl -X POST ${baseUrl}${restPrefix}/credentials/revoke -H 'Content-Type: application/json' \\
  -d '{"credentials": ["${brand.keyPrefix}_live_..."]}'
\`\`\`

To end a key of yours that may have leaked, **Revoke** it on the page, look at its activity, and create another one. Webhooks that
it made, or gave another address, are turned off with it.
`;

const linksUnder = (tag: Tag, operations: readonly DocumentedOperation[]): string =>
  operations
    .filter(({ tags }) => tags.includes(tag))
    .map(linkTo)
    .join(' and ');

const writeErrors = (): string =>
  writeTable(
    ['Status', 'Code', 'When', 'What to do'],
    restErrors.map(({ status, code, when, remedy }) => [String(status), `\`${code}\``, when, remedy]),
  );

const writeScopes = (operations: readonly DocumentedOperation[]): string =>
  writeTable(
    ['Scope', 'Grants', 'Endpoints'],
    Object.entries(scopeSentences)
      .map(([scope, sentence]) => [
        `\`${scope}\``,
        sentence,
        linksTo(operations.filter((operation) => operation['x-required-scope'] === scope)),
      ])
      .filter(([, , links]) => links !== ''),
  );

const linksTo = (operations: readonly DocumentedOperation[]) => operations.map(linkTo).join('<br>');

const writeMcp = ({ operations, brand, baseUrl, hasApps }: GuideOptions): string => `## MCP

The API is available to agents as tools at \`${baseUrl}${mcpPath}\`, a remote MCP server over streamable HTTP. It takes the same key
as a Bearer token, with the same scopes, rate limit and errors.
${hasApps ? signInGuide(brand.keyPrefix, `${baseUrl}${mcpPath}`) : ''}
For Claude Code, in a terminal:

\`\`\`sh
claude mcp add --transport http ${brand.keyPrefix} ${baseUrl}${mcpPath} \\
  --header "Authorization: Bearer $GAMEHOST_KEY"
\`\`\`

For clients that read \`.mcp.json\`:

\`\`\`json
${configuration(brand.keyPrefix, `${baseUrl}${mcpPath}`)}
\`\`\`

Each tool calls one endpoint. Give an agent a key with only the scopes of the tools it may use.

${writeTable(['Tool', 'Calls', 'Scope'], operations.flatMap(toolCells))}
`;

const signInGuide = (name: string, url: string) => `
Agents need no key here. Give claude.ai, Claude Desktop, ChatGPT, Cursor or VS Code the address \`${url}\`: the agent opens this
site, you sign in and choose what it may do, and you can revoke it on the account page at any time. For Claude Code:

\`\`\`sh
claude mcp add --transport http ${name} ${url}
\`\`\`

With a key instead:
`;

const toolCells = ({ tool, method, path, scope }: Operation) =>
  tool ? [[`\`${tool.name}\``, `\`${method} ${path}\``, `\`${scope}\``]] : [];

const configuration = (name: string, url: string) => `{
  "mcpServers": {
    "${name}": {
      "type": "http",
      "url": "${url}",
      "headers": { "Authorization": "Bearer <API_KEY>" }
    }
  }
}`;

const writeForPrograms = ({ docsPath }: GuideOptions) => `## Documents for programs

- [\`${discoveryPaths.llms}\`](${discoveryPaths.llms}) lists this guide and the endpoints, each section as Markdown; all of it is one
  file at [\`${docsPath}.md\`](${docsPath}.md). This page is Markdown for \`Accept: text/markdown\`.
- [\`${discoveryPaths.apiCatalog}\`](${discoveryPaths.apiCatalog}) and
  [\`${discoveryPaths.mcpCatalog}\`](${discoveryPaths.mcpCatalog}) name the API and its MCP server, and
  [\`${discoveryPaths.skills}\`](${discoveryPaths.skills}) a skill that agents can install.
- In the [OpenAPI document](openapi.json), \`x-codeSamples\` has each call in three languages, and \`x-agentic-access\` says what an
  agent may do by itself. Its \`consequence\` is \`read\`, \`write\`, \`physical\` (it reaches what runs or is stored, and another call
  undoes it) or \`safety-critical\` (only a backup does, or nothing: a person decides each time).
`;

/** Each in the words of its README. */
const writeExamples = ({ examples, docsPath }: GuideOptions) => `## Examples

Whole programs to copy, for Node.js 22 or newer: save one as \`main.js\`, with its \`package.json\` in the same folder. They read \`GAMEHOST_URL\`,
\`GAMEHOST_KEY\` and \`SERVER\`.

${examples.map((example) => exampleLine(example, docsPath)).join('\n')}
`;

function exampleLine({ name, readme }: Example, docsPath: string): string {
  const [title = '', summary = ''] = readme.replace(/^# /, '').split('\n\n');
  const address = `${docsPath}/${name}`;
  return `- **${title}**: ${summary.replaceAll('\n', ' ')} [The program](${address}.js), [its package.json](${address}.json), [how to run it](${address}.md)`;
}
