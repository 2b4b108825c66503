/** An endpoint on the docs page: what its reference says, its samples, and the form that sends it. */
import type { OpenApiDocument } from '../openapi/document.ts';
import { escapeHtml } from '../pages/escape-html.ts';
import { restPrefix } from '../rest/rest.ts';
import { type DocumentedOperation, renderCode, renderMarkdown } from './markdown.ts';
import { describeOperation } from './reference.ts';

export function renderOperation(operation: DocumentedOperation, document: OpenApiDocument): string {
  const { anchor, method, path, summary } = operation;
  return `<details class="operation" id="${anchor}">
<summary><span class="method" data-method="${method}">${method}</span> <code>${restPrefix}${path}</code> <span>${summary}</span></summary>
<a class="button is-small copy-link" href="#${anchor}">Copy link</a>
${renderMarkdown(describeOperation(operation, document.components.schemas))}
${renderSamples(operation)}
${renderForm(operation, document)}
</details>`;
}

/** The style sheet shows the sample of the language that is chosen. */
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
  const [, list, owned] = /^([^{]+)\/\{(\w+)\}/.exec(path) ?? [];
  // What is deleted is named by its caller.
  const isOwn = list !== undefined && method !== 'DELETE' && paths[list]?.['get'] !== undefined;
  const fields = parameters.map(({ name, in: place, required, example }) => {
    const attributes = [
      `name="${name}" data-in="${place}"`,
      ...(required ? [`required value="${escapeHtml(String(example ?? ''))}"`] : []),
      ...(isOwn && name === owned ? [`data-list="${restPrefix}${list}"`] : []),
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
