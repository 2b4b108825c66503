/** The table of contents: the guide's sections, then the endpoints by tag. */
import type { OpenApiDocument } from '../openapi/document.ts';
import { anchorOf, headingsOf, renderMarkdown } from './markdown.ts';
import { type DocumentedOperation, operationsOf } from './operations.ts';

/** @param guide Markdown */
export function renderNavigation(document: OpenApiDocument, guide: string): string {
  const sections = [...headingsOf(guide), 'Endpoints'].map((title) => `- [${title}](#${anchorOf(title)})`);
  const operations = operationsOf(document);
  const tags = document.tags.map(({ name }) => {
    const links = operations.filter((operation) => operation.tags.includes(name)).map(linkTo);
    return group(name, links);
  });
  return renderMarkdown([group('Guide', sections), ...tags].join('\n\n'));
}

const group = (title: string, links: readonly string[]) => `**${title}**\n\n${links.join('\n')}`;

const linkTo = ({ method, summary, anchor }: DocumentedOperation) =>
  `- [<span class="method" data-method="${method}">${method}</span> ${summary}](#${anchor})`;
