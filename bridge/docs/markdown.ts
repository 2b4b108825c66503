/** Renders Markdown with marked, and holds the parts that the guide and the contents share. */
import { Marked } from 'marked';
import type { OpenApiDocument } from '../openapi/document.ts';
import { escapeHtml } from '../pages/escape-html.ts';

export const renderMarkdown = (markdown: string): string => marked.parse(markdown, { async: false });

const marked = new Marked({
  async: false,
  renderer: { code: ({ text, lang = '' }) => renderCode(lang, text) },
});

export const renderCode = (language: string, code: string): string =>
  `<div class="sample"><pre><code class="language-${language}">${escapeHtml(code)}</code></pre>
<button class="button is-small copy-button" type="button">Copy</button></div>\n`;

/** Lets long paths in code break before a slash. */
export const withBreaks = (html: string) =>
  html.replace(/<code[^>]*>[^<]*/g, (code) => code.replace(/(?<=[\w}])\/(?=[\w{])/g, '<wbr>/'));

export const linkToCopy = (id: string, title: string) =>
  `<a class="heading-link" href="#${id}" aria-label="Link to ${title}">#</a>`;

export const writeTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export const writeCode = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

export const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      anchor: `operations-${operation.tags[0]}-${operation.operationId}`,
    })),
  );

export type DocumentedOperation = ReturnType<typeof operationsOf>[number];

/** The tags of operations, without the tag of the webhooks. */
export const endpointTags = (document: OpenApiDocument) =>
  document.tags
    .map((tag) => ({
      ...tag,
      operations: operationsOf(document).filter(({ tags }) => tags.includes(tag.name)),
    }))
    .filter(({ operations }) => operations.length > 0);

export type EndpointTag = ReturnType<typeof endpointTags>[number];

/** On the page, links lead to its parts. In Markdown, they lead to the other documents. */
export interface Links {
  /** @param path below the base URL */
  to(path: string): string;
  toOperation(operation: DocumentedOperation): string;
  endpoints: string;
}

export const linkTo = (operation: DocumentedOperation, { toOperation }: Links) =>
  `[\`${operation.method} ${operation.path}\`](${toOperation(operation)})`;
