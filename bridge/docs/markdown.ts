/** Markdown to HTML with marked, and what the guide and the contents are written from. */
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

/** Paths in code break before a slash where a line is too short for them. */
export const withBreaks = (html: string) =>
  html.replace(/<code[^>]*>[^<]*/g, (code) => code.replace(/(?<=[\w}])\/(?=[\w{])/g, '<wbr>/'));

/** The script makes it copy the address. */
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
      /** The id of its element on the page. */
      anchor: `operations-${operation.tags[0]}-${operation.operationId}`,
    })),
  );

export type DocumentedOperation = ReturnType<typeof operationsOf>[number];

/** Where the guide's links lead: on the page to its parts, in Markdown to the other documents. */
export interface Links {
  /** @param path of the service */
  to(path: string): string;
  toOperation(operation: DocumentedOperation): string;
  endpoints: string;
}

export const linkTo = (operation: DocumentedOperation, { toOperation }: Links) =>
  `[\`${operation.method} ${operation.path}\`](${toOperation(operation)})`;
