/** Markdown to HTML with marked: headings get anchors. */
import { Marked } from 'marked';

export function renderMarkdown(markdown: string): string {
  const marked = new Marked({ async: false });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

/** "Request ids" becomes "request-ids". */
export const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

/** The titles of all second-level sections. */
export const headingsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);

export const writeTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
