/** The docs page as HTML: the table of contents, the guide, and every endpoint with a form to try it. */
import { isForOperators, type OpenApiDocument } from '../openapi/document.ts';
import { lead, type Section } from '../openapi/introduction.ts';
import { keySchemes } from '../openapi/security.ts';
import { poweredBy } from '../pages/brand.ts';
import { escapeHtml } from '../pages/escape-html.ts';
import { restPrefix } from '../rest/rest.ts';
import { type GuideOptions, writeGuide } from './guide.ts';
import {
  type DocumentedOperation,
  endpointTags,
  type Links,
  linkToCopy,
  renderCode,
  renderMarkdown,
  withBreaks,
} from './markdown.ts';
import { describeOperation } from './reference.ts';

const links: Links = {
  to: (path) => path,
  toOperation: ({ anchor }) => `#${anchor}`,
  endpoints: '#endpoints',
};

export function renderPage(options: GuideOptions): string {
  const { document } = options;
  const guide = writeGuide(options, links);
  const tags = tagsOf(document);
  return withBreaks(`<!doctype html>
<html lang="en">
${renderHead(options)}
<body>
<a class="skip-link" href="#content">Skip to the content</a>
${renderBar(options)}
<div class="frame">
<nav class="contents" id="contents" popover aria-label="Contents">${search}${renderNavigation(tags, guide)}</nav>
<main id="content" tabindex="-1">
<article class="guide">
<h1>${escapeHtml(document.info.title)}</h1>
${renderMarkdown(lead)}
${guide.map(renderSection).join('\n')}
</article>
<section aria-labelledby="endpoints">
${renderKeyForm(options)}
${tags.map((tag) => renderTag(tag, document)).join('\n')}
</section>
<footer class="powered-by">${poweredBy}</footer>
</main>
</div>
</body>
</html>
`);
}

const renderSection = ({ name, title, text }: Section) =>
  `<h2 id="${name}">${title} ${linkToCopy(name, title)}</h2>\n${renderMarkdown(text)}`;

const renderHead = ({ document, docsPath, accountPath }: GuideOptions) => `<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#f6f7fb" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0e1016" media="(prefers-color-scheme: dark)">
<title>${escapeHtml(document.info.title)} documentation</title>
<link rel="icon" href="${accountPath}/logo">
<link rel="alternate" href="${docsPath}.md" type="text/markdown">
<link rel="stylesheet" href="${docsPath}/docs.css">
<script type="module" src="${docsPath}/docs.js"></script>
</head>`;

const renderBar = ({
  brand,
  document,
  docsPath,
  accountPath,
  descriptionPath,
}: GuideOptions) => `<header class="bar">
<a class="brand" href="${docsPath}"><img src="${accountPath}/logo" alt="" width="28" height="28">${escapeHtml(brand.name)}</a>
<span class="badge">API ${document.info.version}</span>
<nav class="bar-links" aria-label="Main">
<a href="${accountPath}#keys">API keys</a>
<a class="is-wide-only" href="${descriptionPath}">OpenAPI</a>
<button class="contents-button" type="button" popovertarget="contents">Contents</button>
</nav>
</header>`;

const search = `<search class="search needs-script" id="search-form">
<label class="visually-hidden" for="search">Search the docs</label>
<input class="input" id="search" type="search" placeholder="Search (press /)" autocomplete="off" spellcheck="false">
<ul id="search-results"></ul>
<p class="visually-hidden" id="search-status" role="status"></p>
</search>
`;

const renderKeyForm = ({
  brand,
  probePath,
}: GuideOptions) => `<h2 id="endpoints">Endpoints ${linkToCopy('endpoints', 'Endpoints')}</h2>
<p>Open an endpoint, fill in its parameters and execute it. Calls are real and count against your rate limit. Once a key is in use,
the forms are filled in with your first server, ticket and so on, except in calls that would delete it.</p>
<form class="key-form needs-script" id="key-form" data-probe="${probePath}">
<p class="field"><label for="key">API key</label>
<input class="input" id="key" type="password" placeholder="${brand.keyPrefix}_live_…" autocomplete="off" spellcheck="false" pattern="[!-~]+"></p>
<p class="field"><label for="key-header">Sent as</label>
<select class="input" id="key-header"><option>Authorization: Bearer</option><option>${keySchemes.apiKey.name}</option></select></p>
<button class="button is-primary" type="submit">Use key</button>
<p class="key-status" id="key-status" role="status">No key in use. A key is kept in this tab only, until you leave the page.</p>
</form>
<noscript><p class="note">Trying endpoints requires JavaScript.</p></noscript>
<p class="note"><label><input type="checkbox" id="show-operators"> Show the endpoints for the host's staff and systems</label></p>`;

type TagGroup = ReturnType<typeof tagsOf>[number];

const tagsOf = (document: OpenApiDocument) =>
  endpointTags(document).map(({ operations, ...tag }) => {
    const className = operations.every(isForOperators) ? ' class="is-for-operators"' : '';
    return { ...tag, operations, className };
  });

const renderTag = (
  { name, description, operations, className }: TagGroup,
  document: OpenApiDocument,
): string => `<section${className}>
<h3 id="operations-tag-${name}">${name} <small>${description}</small></h3>
${operations.map((operation) => renderOperation(operation, document)).join('\n')}
</section>`;

function renderOperation(operation: DocumentedOperation, document: OpenApiDocument): string {
  const { anchor, method, path, summary } = operation;
  return `<details class="operation" id="${anchor}">
<summary><span class="method" data-method="${method}">${method}</span> <code>${restPrefix}${path}</code> <span>${summary}</span></summary>
<a class="button is-small copy-link" href="#${anchor}">Copy link</a>
${renderMarkdown(describeOperation(operation, document.components.schemas))}
${renderSamples(operation)}
${renderForm(operation, document)}
</details>`;
}

/** The style sheet shows only the sample of the chosen language. */
function renderSamples({ operationId, 'x-codeSamples': samples = [] }: DocumentedOperation): string {
  if (samples.length === 0) return '';
  const choices = samples.map(
    ({ label }, index) =>
      `<label><input type="radio" name="${operationId}" value="${label}"${index === 0 ? ' checked' : ''}> ${label}</label>`,
  );
  const codes = samples.map(({ lang, source }) => renderCode(lang.toLowerCase(), source));
  return `<fieldset class="samples"><legend>Samples</legend>${choices.join('')}${codes.join('')}</fieldset>`;
}

function renderForm(operation: DocumentedOperation, { paths }: OpenApiDocument): string {
  const { method, path, parameters = [], requestBody } = operation;
  const [, list, idParameter] = /^([^{]+)\/\{(\w+)\}/.exec(path) ?? [];
  // A form never prefills the id of the resource that it would delete.
  const canPrefill = list !== undefined && method !== 'DELETE' && paths[list]?.['get'] !== undefined;
  const fields = parameters.map(({ name, in: place, required, example }) => {
    const attributes = [
      `name="${name}" data-in="${place}"`,
      ...(required ? [`required value="${escapeHtml(String(example ?? ''))}"`] : []),
      ...(canPrefill && name === idParameter ? [`data-list="${restPrefix}${list}"`] : []),
    ];
    return `<label class="field"><span><code>${name}</code> in the ${place}</span><input class="input" ${attributes.join(' ')}></label>`;
  });
  const example = requestBody?.content['application/json'].example;
  const body = example && escapeHtml(JSON.stringify(example, null, 2));
  return `<form class="try needs-script" data-method="${method}" data-path="${restPrefix}${path}">
<h4>Try it</h4>
${fields.join('\n')}
${body ? `<label class="field"><span>Request body</span><textarea class="input" data-in="body" rows="${body.split('\n').length}">${body}</textarea></label>` : ''}
<button class="button is-primary" type="submit">Execute</button>
<p role="status"></p>
<pre role="region" aria-label="Response" tabindex="0" hidden></pre>
</form>`;
}

function renderNavigation(tags: readonly TagGroup[], guide: readonly Section[]): string {
  const sections = [...guide, { title: 'Endpoints', name: 'endpoints' }].map(
    ({ title, name }) => `- [${title}](#${name})`,
  );
  const groups = tags.map(
    ({ name, operations, className }) =>
      `<div${className}>${renderMarkdown(group(name, operations.map(navigationLink)))}</div>`,
  );
  return [renderMarkdown(group('Guide', sections)), ...groups].join('\n');
}

const group = (title: string, links: readonly string[]) => `**${title}**\n\n${links.join('\n')}`;

const navigationLink = ({ method, summary, anchor }: DocumentedOperation) =>
  `- [<span class="method" data-method="${method}">${method}</span> ${summary}](#${anchor})`;
