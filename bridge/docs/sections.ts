/** The docs in Markdown, a section each: those of the guide, and the endpoints by tag. Links lead to the other sections. */
import { isForOperators, type OpenApiDocument } from '../openapi/document.ts';
import { type GuideOptions, writeGuide } from './guide.ts';
import { anchorOf, operationsOf } from './markdown.ts';
import { writeReference } from './reference.ts';

export type Section = ReturnType<typeof guideSection>;

export type Docs = ReturnType<typeof writeDocs>;

export function writeDocs(options: GuideOptions) {
  const { document } = options;
  const [introduction = '', ...parts] = writeGuide(options).split(/^## /m);
  const endpoints = document.tags.map((tag) => tagSection(document, tag));
  const withLinks = (section: Section) => ({ ...section, markdown: resolveLinks(section.markdown, options) });
  return {
    title: document.info.title,
    /** What the API is, in a paragraph. */
    introduction: introduction.trim().replaceAll('\n', ' '),
    guide: parts.map(guideSection).map(withLinks),
    endpoints: endpoints.map(withLinks),
  };
}

function guideSection(part: string) {
  const title = part.slice(0, part.indexOf('\n'));
  const text = part.slice(title.length).trim();
  return {
    /** As in its address. */
    name: anchorOf(title),
    title,
    summary: firstSentence(text),
    markdown: `## ${title}\n\n${text}\n`,
    /** Whether it is of use to the host's staff and systems only. */
    isForOperators: false,
  };
}

function tagSection(
  document: OpenApiDocument,
  { name, description }: OpenApiDocument['tags'][number],
): Section {
  const operations = operationsOf(document).filter(({ tags }) => tags.includes(name));
  const title = `Endpoints: ${name}`;
  return {
    name: endpointsName(name),
    title,
    summary: description,
    markdown: `## ${title}\n\n${description}\n\n${writeReference(document, name)}`,
    isForOperators: operations.every(isForOperators),
  };
}

const endpointsName = (tag: string) => `endpoints-${tag.toLowerCase()}`;

/** Without what only Markdown needs. */
const firstSentence = (markdown: string): string =>
  `${markdown
    .replaceAll(/\[([^\]]{1,200})\]\([^)]{1,200}\)/g, '$1')
    .replaceAll(/^- |[*`]/g, '')
    .split(/\.\s|[.:]?\n\n/, 1)[0]
    ?.replaceAll(/\s+/g, ' ')}.`;

/** Makes links absolute; those to parts of the page lead to the section that holds them. */
const resolveLinks = (markdown: string, { baseUrl, docsPath }: GuideOptions): string =>
  markdown.replaceAll(/\]\((?!\w+:)([^)\s]+)\)/g, (_, target: string) => {
    const [, tag] = /^#operations-(\w+)-/.exec(target) ?? [];
    if (tag) return `](${baseUrl}${docsPath}/${endpointsName(tag)}.md)`;
    if (target === '#endpoints') return `](${baseUrl}${docsPath}.md)`;
    if (target.startsWith('#')) return `](${baseUrl}${docsPath}/${target.slice(1)}.md)`;
    return `](${baseUrl}${target.startsWith('/') ? '' : docsPath.replace(/[^/]*$/, '')}${target})`;
  });
