/** Writes the sections of the guide. The OpenAPI document shares some of them (`../openapi/introduction.ts`). */
import { scopeSentences } from '../../routers/scopes.ts';
import type { Tag } from '../../routers/tags.ts';
import { discoveryPaths } from '../discovery/well-known.ts';
import { mcpPath } from '../mcp/mcp.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { commonSections, type Section } from '../openapi/introduction.ts';
import { restErrors } from '../openapi/responses.ts';
import type { Operation } from '../operations.ts';
import type { Brand } from '../pages/brand.ts';
import { restPrefix } from '../rest/rest.ts';
import { type DocumentedOperation, type Links, linkTo, operationsOf, writeTable } from './markdown.ts';
import { describeWebhooks } from './webhooks.ts';

export interface GuideOptions {
  brand: Brand;
  operations: readonly Operation[];
  document: OpenApiDocument;
  baseUrl: string;
  accountPath: string;
  /** Whether agents may sign their users in by OAuth. */
  hasApps: boolean;
  /** Path of an operation that any valid key may call, with which the page tests a key. */
  probePath: string;
  docsPath: string;
  descriptionPath: string;
  examples: readonly Example[];
}

export interface Example {
  name: string;
  description: string;
}

interface GuideContext extends GuideOptions {
  links: Links;
  documented: readonly DocumentedOperation[];
}

export function writeGuide(options: GuideOptions, links: Links): Section[] {
  const documented = operationsOf(options.document);
  const context = { ...options, links, documented };
  return [
    firstCall(context),
    clients(context),
    ...commonSections(writeScopes(context), writeErrors()),
    safeKeys(context),
    ...describeWebhooks(context),
    mcp(context),
    documentsForPrograms(context),
    examples(context),
  ];
}

const firstCall = ({ brand, baseUrl, accountPath, probePath, links }: GuideContext): Section => ({
  name: 'first-call',
  title: 'First call',
  summary: 'How to create a key and make a call with it.',
  text: `Create a key on the [API keys page](${links.to(`${accountPath}#keys`)}), export it in your shell, and call:

\`\`\`sh
export GAMEHOST_KEY=${brand.keyPrefix}_live_...
curl -H "Authorization: Bearer $GAMEHOST_KEY" \\
  ${baseUrl}${probePath}
\`\`\`

All paths are relative to \`${baseUrl}${restPrefix}\`. You can try each of them [below](${links.endpoints}).

If you write a program for others, link to the form for a new key, filled in:
\`${baseUrl}${accountPath}/keys/new?name=My+bot&scopes=read:account,write:servers\`. You can add \`servers\` (identifiers, separated
by commas) and \`expires_in_days\`. The link itself creates nothing.`,
});

const clients = ({ baseUrl, hasApps }: GuideContext): Section => ({
  name: 'clients',
  title: 'Clients',
  summary: 'The packages for TypeScript, the terminal and Python.',
  text: `The package \`gamehost\` is a TypeScript library and a command on npm, and a Python library on PyPI. Each has all endpoints for
customers, and repeats a failed call where that is safe.

In TypeScript, after \`npm install gamehost\`:

\`\`\`ts
import { Gamehost } from 'gamehost';

const gamehost = new Gamehost({ baseUrl: '${baseUrl}', key: process.env.GAMEHOST_KEY });
const { servers } = await gamehost.servers.listMyServers();
console.log(servers.map(({ name }) => name));
await gamehost.servers.setServerPower({ server_identifier: 'd94a07b3', signal: 'restart' });
\`\`\`

In a terminal, where \`gamehost login\` ${hasApps ? 'opens this site, and you sign in' : 'asks for a key'}:

\`\`\`sh
npm install --global gamehost
gamehost login --url ${baseUrl}${hasApps ? '' : ' --key -'}
gamehost servers list
gamehost servers power d94a07b3 --signal restart
\`\`\`

In Python, after \`pip install gamehost\`:

\`\`\`python
import os
from gamehost import Gamehost

gamehost = Gamehost(base_url="${baseUrl}", key=os.environ["GAMEHOST_KEY"])
for server in gamehost.servers.list_my_servers().servers:
    print(server.name)
gamehost.servers.set_server_power(server_identifier="d94a07b3", signal="restart")
\`\`\``,
});

const safeKeys = (context: GuideContext): Section => ({
  name: 'keys-you-can-trust-with-less',
  title: 'Keys you can trust with less',
  summary: 'How to restrict a key, see what it did, and revoke one that leaked.',
  text: `**Restrict a key** when you create it on the [API keys page](${context.links.to(`${context.accountPath}#keys`)}):
to some of your servers, and to the addresses and ranges that you use it from. All other servers then get 404, as if they did not
exist. A call from another address gets 403 \`forbidden_address\`, which names that address. Tickets and subscriptions belong to no
server: a key with the scopes for them reaches all of yours. A rotated key has the same restrictions. Give a key an expiry, too.

**See what a key did** under Activity on that page, or with ${linksUnder('Activity', context)}: every call of the last 90 days
with its outcome and address, and the sums by day and by key. A key that is restricted to servers sees only its own calls.

**Report a leaked key** or token, yours or not, with ${linksUnder('Security', context)}. The call needs
no key. It revokes the credential at once, and its response is the same whether or not the credential existed. The owner sees when
and why it was revoked:

\`\`\`sh
curl -X POST ${context.baseUrl}${restPrefix}/credentials/revoke -H 'Content-Type: application/json' \\
  -d '{"credentials": ["${context.brand.keyPrefix}_live_..."]}'
\`\`\`

If one of your keys may have leaked, **Revoke** it on the page, look at its activity, and create another one. Revoking it also
turns off the webhooks that it created or gave another address.`,
});

const linksUnder = (tag: Tag, { documented, links }: GuideContext): string =>
  documented
    .filter(({ tags }) => tags.includes(tag))
    .map((operation) => linkTo(operation, links))
    .join(' and ');

const writeErrors = (): string =>
  writeTable(
    ['Status', 'Code', 'When', 'What to do'],
    restErrors.map(({ status, code, when, remedy }) => [String(status), `\`${code}\``, when, remedy]),
  );

const writeScopes = ({ documented, links }: GuideContext): string =>
  writeTable(
    ['Scope', 'Grants', 'Endpoints'],
    Object.entries(scopeSentences)
      .map(([scope, sentence]) => [
        `\`${scope}\``,
        sentence,
        documented
          .filter((operation) => operation['x-required-scope'] === scope)
          .map((operation) => linkTo(operation, links))
          .join('<br>'),
      ])
      .filter(([, , links]) => links !== ''),
  );

const mcp = ({ operations, brand, baseUrl, hasApps }: GuideContext): Section => ({
  name: 'mcp',
  title: 'MCP',
  summary: 'How to connect an agent, and the endpoint behind each tool.',
  text: `Agents use the API as tools at \`${baseUrl}${mcpPath}\`, a remote MCP server over streamable HTTP. It accepts the same key
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

${writeTable(['Tool', 'Calls', 'Scope'], operations.flatMap(toolCells))}`,
});

const signInGuide = (name: string, url: string) => `
Agents need no key here. Give claude.ai, Claude Desktop, ChatGPT, Cursor or VS Code the address \`${url}\`. The agent opens this
site, where you sign in and choose what it may do. You can revoke that on the account page at any time. For Claude Code:

\`\`\`sh
claude mcp add --transport http ${name} ${url}
\`\`\`

You can use a key instead.
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

const documentsForPrograms = ({ docsPath, descriptionPath, links }: GuideContext): Section => ({
  name: 'documents-for-programs',
  title: 'Documents for programs',
  summary: 'Where agents and tools find this guide, the API and its MCP server.',
  text: `- ${pathLink(discoveryPaths.llms, links)} lists this guide and the endpoints, each section as Markdown.
  ${pathLink(`${docsPath}.md`, links)} has all of it in one file. With \`Accept: text/markdown\`, this page is Markdown too.
- ${pathLink(discoveryPaths.apiCatalog, links)} and
  ${pathLink(discoveryPaths.mcpCatalog, links)} name the API and its MCP server, and
  ${pathLink(discoveryPaths.skills, links)} a skill that agents can install.
  ${pathLink(discoveryPaths.mcpWellKnownCard, links)} is the card of the MCP server, and
  ${pathLink(discoveryPaths.sitemap, links)} lists all documents.
- In the [OpenAPI document](${links.to(descriptionPath)}), \`x-codeSamples\` has each call in three languages, and
  \`x-agentic-access\` states what an agent may do by itself. Its \`consequence\` is \`read\`, \`write\`, \`physical\` (it affects running
  servers or stored data, and another call undoes it) or \`safety-critical\` (only a backup undoes it, or nothing: a person decides
  each time).`,
});

const pathLink = (path: string, { to }: Links) => `[\`${path}\`](${to(path)})`;

const examples = (context: GuideContext): Section => ({
  name: 'examples',
  title: 'Examples',
  summary: 'Complete programs to copy.',
  text: `Complete programs to copy, for Node.js 22 or newer: save one as \`main.js\`, with its
\`package.json\` in the same folder, and run \`npm install\`. They read \`GAMEHOST_URL\`, \`GAMEHOST_KEY\` and \`SERVER\`.

${context.examples.map((example) => exampleLine(example, context)).join('\n')}`,
});

function exampleLine({ name, description }: Example, { docsPath, links }: GuideContext): string {
  const addressOf = (extension: string) => links.to(`${docsPath}/example-${name}${extension}`);
  return `- **${name}**: ${description} [The program](${addressOf('.js')}), [its package.json](${addressOf('.json')}), [how to run it](${addressOf('.md')})`;
}
