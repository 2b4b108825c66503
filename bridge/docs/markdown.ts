/** Markdown to HTML with marked, and what the guide and the contents are written from. */
import { Marked } from 'marked';
import type { OpenApiDocument } from '../openapi/document.ts';

export function renderMarkdown(markdown: string): string {
  const marked = new Marked({ async: false });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = anchorOf(text);
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} ${linkToCopy(id, text)}</h${depth}>\n`;
      },
    },
  });
  return withBreaks(marked.parse(markdown, { async: false }));
}

/** Paths in code break before a slash where a line is too short for them. */
const withBreaks = (html: string) =>
  html.replace(/<code[^>]*>[^<]*/g, (code) => code.replace(/(?<=[\w}])\/(?=[\w{])/g, '<wbr>/'));

/** The script makes it copy the address. */
export const linkToCopy = (id: string, title: string) =>
  `<a class="heading-link" href="#${id}" aria-label="Link to ${title}">#</a>`;

/** "Request ids" becomes "request-ids". */
export const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

/** The titles of all second-level sections. */
export const headingsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);

export const writeTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      /** The element id that Swagger UI gives it. */
      anchor: `operations-${operation.tags[0]}-${operation.operationId}`,
    })),
  );

export type DocumentedOperation = ReturnType<typeof operationsOf>[number];

export const linkTo = ({ method, path, anchor }: DocumentedOperation) =>
  `[\`${method} ${path}\`](#${anchor})`;
