/** All documents for programs, by path: the docs in Markdown, and what is written from them and from the operations. */
import type { GuideOptions } from '../docs/guide.ts';
import { writeDocs } from '../docs/sections.ts';
import { mcpPath } from '../mcp/mcp.ts';
import { restPrefix } from '../rest/rest.ts';
import {
  apiCatalogType,
  describeApis,
  describeServer,
  describeServers,
  serverCardType,
  type Urls,
} from './catalogs.ts';
import { writeLlms, writeSection, writeWholeDocs } from './llms.ts';
import { discoveryPaths, skillName } from './paths.ts';
import { describeSkills, writeSkill } from './skill.ts';

interface DocumentsOptions extends GuideOptions {
  /** The URL path of the OpenAPI document. */
  descriptionPath: string;
}

interface WrittenDocument {
  type: string;
  text: string;
}

const markdown = (text: string): WrittenDocument => ({ type: 'text/markdown; charset=utf-8', text });
const plain = (text: string): WrittenDocument => ({ type: 'text/plain; charset=utf-8', text });
const json = (value: object, type = 'application/json; charset=utf-8'): WrittenDocument => ({
  type,
  text: `${JSON.stringify(value, null, 2)}\n`,
});

export function writeDocuments(options: DocumentsOptions): Map<string, WrittenDocument> {
  const docs = writeDocs(options);
  const urls = urlsOf(options);
  const { docsPath } = options;
  const whole = writeWholeDocs(docs);
  const skill = { docs, name: skillName, urls };
  const skillText = writeSkill(skill);
  return new Map([
    [`${docsPath}.md`, markdown(whole)],
    ...[...docs.guide, ...docs.endpoints].map(
      (section) => [`${docsPath}/${section.name}.md`, markdown(writeSection(section))] as const,
    ),
    [discoveryPaths.llms, plain(writeLlms({ docs, urls }))],
    [discoveryPaths.full, plain(whole)],
    [discoveryPaths.apiCatalog, json(describeApis(urls, docs.title), apiCatalogType)],
    [discoveryPaths.mcpCard, json(describeServer(urls, options.brand), serverCardType)],
    [discoveryPaths.mcpCatalog, json(describeServers(urls, options.brand))],
    [discoveryPaths.skills, json(describeSkills(skill, { url: urls.skill, text: skillText }))],
    [discoveryPaths.skill, markdown(skillText)],
  ]);
}

function urlsOf({
  baseUrl,
  docsPath,
  descriptionPath,
  accountPath,
  hasApps,
}: DocumentsOptions): Urls & { full: string; skill: string } {
  const at = (path: string) => baseUrl + path;
  return {
    api: at(restPrefix),
    openApi: at(descriptionPath),
    docs: at(docsPath),
    markdown: at(`${docsPath}.md`),
    icon: at(`${accountPath}/logo`),
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
