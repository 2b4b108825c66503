/** The docs page as HTML: the table of contents, the whole guide, and a container where the script mounts Swagger UI. */
import type { OpenApiDocument } from '../openapi/document.ts';
import { securitySchemes } from '../openapi/operation.ts';
import { poweredBy } from '../pages/brand.ts';
import { escapeHtml } from '../pages/escape-html.ts';
import { type GuideOptions, writeGuide } from './guide.ts';
import { anchorOf, type DocumentedOperation, headingsOf, operationsOf, renderMarkdown } from './markdown.ts';

interface PageOptions extends GuideOptions {
  /** The URL path of the page; its files are one level below. */
  docsPath: string;
  /** The URL path of the OpenAPI document. */
  descriptionPath: string;
}

export function renderPage(options: PageOptions): string {
  const guide = writeGuide(options);
  return `<!doctype html>
<html lang="en">
${renderHead(options)}
<body>
<a class="skip-link" href="#content">Skip to the content</a>
${renderBar(options)}
<div class="frame">
<nav class="contents" id="contents" popover aria-label="Contents">${renderNavigation(options.document, guide)}</nav>
<main id="content" tabindex="-1">
<article class="guide">
<h1>${escapeHtml(options.document.info.title)}</h1>
${renderMarkdown(guide)}
</article>
${renderEndpoints(options)}
<footer class="powered-by">${poweredBy}</footer>
</main>
</div>
</body>
</html>
`;
}

const renderHead = ({ document, docsPath, accountPath }: PageOptions) => `<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#f6f7fb" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0e1016" media="(prefers-color-scheme: dark)">
<title>${escapeHtml(document.info.title)} documentation</title>
<link rel="icon" href="${accountPath}/logo">
<link rel="stylesheet" href="${docsPath}/docs.css">
<script type="module" src="${docsPath}/docs.js"></script>
</head>`;

const renderBar = ({
  brand,
  document,
  docsPath,
  accountPath,
  descriptionPath,
}: PageOptions) => `<header class="bar">
<a class="brand" href="${docsPath}"><img src="${accountPath}/logo" alt="" width="28" height="28">${escapeHtml(brand.name)}</a>
<span class="version">API ${document.info.version}</span>
<nav class="bar-links" aria-label="Main">
<a href="${accountPath}#keys">API keys</a>
<a class="is-wide-only" href="${descriptionPath}">OpenAPI</a>
<button class="contents-button" type="button" popovertarget="contents">Contents</button>
</nav>
</header>`;

const renderEndpoints = ({
  brand,
  probePath,
  descriptionPath,
}: PageOptions) => `<section aria-labelledby="endpoints">
<h2 id="endpoints">Endpoints</h2>
<p>Open an endpoint, fill in its parameters and execute it. Calls are real and count against your rate limit. Once a key is in use, a
path names the first of what you have, except where it would be deleted.</p>
<form class="key-form" id="key-form" data-probe="${probePath}">
<p class="field"><label for="key">API key</label>
<input class="input" id="key" type="password" placeholder="${brand.keyPrefix}_live_…" autocomplete="off" spellcheck="false" pattern="[!-~]+"></p>
<p class="field"><label for="key-header">Sent as</label>
<select class="input" id="key-header">${schemeOptions()}</select></p>
<button class="button is-primary" type="submit">Use key</button>
<p class="key-status" id="key-status" role="status">No key in use. A key is kept in this tab only, until you leave the page.</p>
</form>
<div id="operations" data-description="${descriptionPath}"><p class="note">Loading endpoints…</p></div>
<noscript><p class="note">Trying endpoints requires JavaScript. All of them are described in <a href="${descriptionPath}">openapi.json</a>.</p></noscript>
</section>`;

const schemeOptions = () =>
  Object.entries(securitySchemes)
    .map(([name, scheme]) => `<option value="${name}">${headerOf(scheme)}</option>`)
    .join('');

const headerOf = (scheme: (typeof securitySchemes)[keyof typeof securitySchemes]) =>
  scheme.type === 'http' ? 'Authorization: Bearer' : scheme.name;

/** @param guide Markdown */
function renderNavigation(document: OpenApiDocument, guide: string): string {
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
