/**
 * All documents for programs, by path. Besides the docs in Markdown, these are llms.txt (llmstxt.org), the API
 * catalog (RFC 9727), the MCP catalog and server card (SEP-2127), a skill that agents can install (agentskills.io)
 * with its index, robots.txt and the sitemap.
 */
import { hash } from 'node:crypto';
import { agentGuide } from '../../routers/agent-guide.ts';
import type { GuideOptions } from '../docs/guide.ts';
import { type Docs, writeDocs } from '../docs/sections.ts';
import { mcpPath } from '../mcp/mcp.ts';
import { type Section, writeSection } from '../openapi/introduction.ts';
import { restPrefix } from '../rest/rest.ts';
import { describeMcpServers, describeServerCard, serverCardType } from './mcp-server.ts';
import { discoveryPaths, skillName, writeRobots, writeSitemap } from './well-known.ts';

interface WrittenDocument {
  type: string;
  text: string;
}

const markdown = (text: string): WrittenDocument => ({ type: 'text/markdown; charset=utf-8', text });
const xml = (text: string): WrittenDocument => ({ type: 'application/xml; charset=utf-8', text });
const plain = (text: string): WrittenDocument => ({ type: 'text/plain; charset=utf-8', text });
const json = (value: object, type = 'application/json; charset=utf-8'): WrittenDocument => ({
  type,
  text: `${JSON.stringify(value, null, 2)}\n`,
});

interface DocumentOptions extends GuideOptions {
  /** See CONTENT_SIGNAL. If null, robots.txt makes no statement. */
  contentSignal: string | null;
}

export function writeDocuments(options: DocumentOptions): Map<string, WrittenDocument> {
  const docs = writeDocs(options);
  const { baseUrl, docsPath, descriptionPath } = options;
  const urls = urlsOf(options);
  const sections = [...docs.guide, ...docs.endpoints];
  const whole = `# ${docs.title}\n\n${docs.lead}\n\n${writeSections(sections)}\n`;
  const skill = writeSkill(docs, urls);
  const card = json(describeServerCard(options), serverCardType);
  const documents = new Map([
    [`${docsPath}.md`, markdown(whole)],
    ...sections.map(
      (section) => [`${docsPath}/${section.name}.md`, markdown(`${writeSection(section, 1)}\n`)] as const,
    ),
    [discoveryPaths.llms, plain(writeLlms(docs, urls))],
    [discoveryPaths.full, plain(whole)],
    [discoveryPaths.apiCatalog, json(describeApis(docs.title, urls), apiCatalogType)],
    [discoveryPaths.mcpCard, card],
    [discoveryPaths.mcpCatalog, json(describeMcpServers(options))],
    [discoveryPaths.skills, json(describeSkills(docs, urls, skill))],
    [discoveryPaths.skill, markdown(skill)],
  ]);
  const listed = [docsPath, descriptionPath, ...documents.keys()].map((path) => baseUrl + path);
  return documents
    .set(discoveryPaths.mcpWellKnownCard, card)
    .set(discoveryPaths.robots, plain(writeRobots(options)))
    .set(discoveryPaths.sitemap, xml(writeSitemap(listed)));
}

const writeSections = (sections: readonly Section[]) =>
  sections.map((section) => writeSection(section)).join('\n\n');

type Urls = ReturnType<typeof urlsOf>;

function urlsOf({ baseUrl, docsPath, descriptionPath, hasApps }: GuideOptions) {
  const at = (path: string) => baseUrl + path;
  return {
    base: baseUrl,
    api: at(restPrefix),
    openApi: at(descriptionPath),
    docs: at(docsPath),
    markdown: at(`${docsPath}.md`),
    clients: at(`${docsPath}/clients.md`),
    llms: at(discoveryPaths.llms),
    full: at(discoveryPaths.full),
    catalog: at(discoveryPaths.apiCatalog),
    skill: at(discoveryPaths.skill),
    mcp: at(mcpPath),
    mcpCard: at(discoveryPaths.mcpCard),
    mcpDocs: at(`${docsPath}/mcp.md`),
    status: at('/readyz'),
    signIn: hasApps ? at(`/.well-known/oauth-protected-resource${mcpPath}`) : null,
  };
}

function writeLlms(docs: Docs, urls: Urls): string {
  const link = ({ title, name, summary }: Section) => `- [${title}](${urls.docs}/${name}.md): ${summary}`;
  const ofOperators = docs.endpoints.filter(({ isForOperators }) => isForOperators);
  const ofCustomers = docs.endpoints.filter(({ isForOperators }) => !isForOperators);
  return `# ${docs.title}

> ${docs.lead}

All paths are relative to ${urls.api}. Each page of the docs is Markdown.

## Guide

${docs.guide.map(link).join('\n')}

## Endpoints

${ofCustomers.map(link).join('\n')}

## Machine-readable

- [OpenAPI 3.1](${urls.openApi}): Every endpoint with its schemas, errors and samples. Add ?version=3.0 for older tools.
- [MCP server](${urls.mcp}): The same API as tools, over streamable HTTP.

## Optional

${ofOperators.map(link).join('\n')}
- [All of it](${urls.full}): Every section above in one file.
`;
}

/** RFC 9727 requires the `profile` parameter. */
const apiCatalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

const describeApis = (title: string, urls: Urls) => ({
  linkset: [
    {
      anchor: urls.catalog,
      item: [
        { href: urls.api, title },
        { href: urls.mcp, title: `${title} as MCP tools` },
      ],
    },
    {
      anchor: urls.api,
      'service-desc': [{ href: urls.openApi, type: 'application/json' }],
      'service-doc': [
        { href: urls.docs, type: 'text/html' },
        { href: urls.markdown, type: 'text/markdown' },
        { href: urls.llms, type: 'text/plain' },
        { href: urls.clients, type: 'text/markdown', title: 'Clients' },
      ],
      status: [{ href: urls.status, type: 'application/json' }],
    },
    {
      anchor: urls.mcp,
      'service-desc': [{ href: urls.mcpCard, type: serverCardType }],
      'service-doc': [{ href: urls.mcpDocs, type: 'text/markdown' }],
      ...(urls.signIn && { 'service-meta': [{ href: urls.signIn, type: 'application/json' }] }),
    },
  ],
});

const sectionsOfSkill = ['authentication', 'errors', 'idempotency', 'pagination', 'limits'];

const descriptionOf = ({ title }: Docs) =>
  `Use the ${title} to look after a customer's game servers: see their state, console, files and backups, start, stop ` +
  'and restart them, back them up, and open and follow support tickets. Use it when the user talks about their game server ' +
  'or about support from its host.';

const writeSkill = (docs: Docs, urls: Urls): string => `---
name: ${skillName}
description: ${JSON.stringify(descriptionOf(docs))}
---

# ${docs.title}

${docs.lead}

## How to call it

Call it as MCP tools at ${urls.mcp}, or by HTTP at ${urls.api}. For HTTP, send the key from the environment variable
GAMEHOST_KEY as \`Authorization: Bearer $GAMEHOST_KEY\`. Never show a key, and never write it into a file.
In a shell, the command \`gamehost\` reads the same variable and \`GAMEHOST_URL=${urls.base}\`: see [Clients](${urls.clients}).

## How to work

${agentGuide}

Before a restart or a stop, create a backup and wait until it is complete. If the description of a write says that it cannot
be undone, ask the user first.

${writeSections(docs.guide.filter(({ name }) => sectionsOfSkill.includes(name)))}

## More

- [All sections and endpoints](${urls.llms})
- [All docs in Markdown](${urls.markdown})
- [OpenAPI](${urls.openApi})
`;

const describeSkills = (docs: Docs, urls: Urls, skill: string) => ({
  $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
  skills: [
    {
      name: skillName,
      type: 'skill-md',
      description: descriptionOf(docs),
      url: urls.skill,
      digest: `sha256:${hash('sha256', skill)}`,
    },
  ],
});
