/** /llms.txt, as llmstxt.org describes it: what the docs hold, a line each, with the addresses of their sections in Markdown. */
import type { Docs, Section } from '../docs/sections.ts';

interface LlmsOptions {
  docs: Docs;
  /** Absolute addresses. */
  urls: { docs: string; api: string; openApi: string; mcp: string; full: string };
}

export function writeLlms({ docs, urls }: LlmsOptions): string {
  const link = ({ title, name, summary }: Section) => `- [${title}](${urls.docs}/${name}.md): ${summary}`;
  const ofOperators = docs.endpoints.filter(({ isForOperators }) => isForOperators);
  const ofCustomers = docs.endpoints.filter(({ isForOperators }) => !isForOperators);
  return `# ${docs.title}

> ${docs.introduction}

All paths are relative to ${urls.api}. Each page of the docs is Markdown.

## Guide

${docs.guide.map(link).join('\n')}

## Endpoints

${ofCustomers.map(link).join('\n')}

## Machine-readable

- [OpenAPI 3.1](${urls.openApi}): Every endpoint with its schemas, errors and samples; with ?version=3.0 for older tools.
- [MCP server](${urls.mcp}): The same API as tools, over streamable HTTP.

## Optional

${ofOperators.map(link).join('\n')}
- [All of it](${urls.full}): Every section above in one file.
`;
}

/** The whole docs as one document. */
export const writeWholeDocs = ({ title, introduction, guide, endpoints }: Docs): string =>
  [`# ${title}\n\n${introduction}\n`, ...[...guide, ...endpoints].map(({ markdown }) => markdown)].join('\n');

/** One section as a document of its own. */
export const writeSection = ({ markdown }: Section): string => markdown.replace(/^## /, '# ');
