/** Writes samples of a call in three languages from the document's own address, examples and security. */
import { restPrefix } from '../rest/rest.ts';

export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

interface SampledOperation {
  security: readonly object[];
  parameters?: readonly { name: string; in: string; required: boolean; example?: unknown }[];
  requestBody?: { content: { 'application/json': { example?: unknown } } };
}

interface SampleCall {
  method: string;
  url: string;
  needsKey: boolean;
  body: unknown;
}

interface RequestTarget {
  baseUrl: string;
  path: string;
  method: string;
}

export const placeholderBaseUrl = 'https://HOST';

/** The samples read the key from the environment variable GAMEHOST_KEY and send only the required input. */
export function writeSamples(target: RequestTarget, operation: SampledOperation): CodeSample[] {
  const call: SampleCall = {
    method: target.method.toUpperCase(),
    url: urlOf(target, operation),
    needsKey: operation.security.length > 0,
    body: operation.requestBody?.content['application/json'].example,
  };
  return [
    { lang: 'Shell', label: 'curl', source: writeCurl(call) },
    { lang: 'JavaScript', label: 'JavaScript', source: writeJavaScript(call) },
    { lang: 'Python', label: 'Python', source: writePython(call) },
  ];
}

function urlOf({ baseUrl, path }: RequestTarget, { parameters = [] }: SampledOperation): string {
  const examples = new Map(
    parameters.map(({ name, example }) => [name, encodeURIComponent(String(example))] as const),
  );
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=${examples.get(name)}`);
  const address = path.replace(/\{(\w+)\}/g, (_, name) => examples.get(name) ?? '');
  return `${baseUrl || placeholderBaseUrl}${restPrefix}${address}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

function writeCurl({ method, url, needsKey, body }: SampleCall): string {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(url)}`,
    ...(needsKey ? ['-H "Authorization: Bearer $GAMEHOST_KEY"'] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function writeJavaScript({ method, url, needsKey, body }: SampleCall): string {
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the sample itself is JavaScript with a template literal
    ...(needsKey ? ['Authorization: `Bearer ${process.env.GAMEHOST_KEY}`'] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${writeValue(body, javaScript)}),`]),
  ];
  const call = [JSON.stringify(url), ...(options.length === 0 ? [] : [`{\n${options.join('\n')}\n}`])];
  return `const response = await fetch(${call.join(', ')});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());`;
}

function writePython({ method, url, needsKey, body }: SampleCall): string {
  const headers = [
    ...(needsKey ? ['"Authorization": "Bearer " + os.environ["GAMEHOST_KEY"]'] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  return `import json, os, urllib.request

request = urllib.request.Request(
${[
  `    ${JSON.stringify(url)},`,
  `    method="${method}",`,
  `    headers={${headers.join(', ')}},`,
  ...(body === undefined ? [] : [`    data=json.dumps(${writeValue(body, python)}).encode(),`]),
].join('\n')}
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`;
}

interface Notation {
  words: Record<string, string>;
  field: (name: string) => string;
  braces: [open: string, close: string];
}

const isWord = /^[A-Za-z_]\w*$/;

const javaScript: Notation = {
  words: {},
  field: (name) => (isWord.test(name) ? name : JSON.stringify(name)),
  braces: ['{ ', ' }'],
};

const python: Notation = {
  words: { true: 'True', false: 'False', null: 'None' },
  field: (name) => JSON.stringify(name),
  braces: ['{', '}'],
};

function writeValue(value: unknown, notation: Notation): string {
  if (Array.isArray(value)) return `[${value.map((item) => writeValue(item, notation)).join(', ')}]`;
  const json = JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return notation.words[json] ?? json;
  const { field, braces } = notation;
  const fields = Object.entries(value).map(([name, item]) => `${field(name)}: ${writeValue(item, notation)}`);
  return braces.join(fields.join(', '));
}
