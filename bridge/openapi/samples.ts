/** Writes samples of a call in three languages from the document's own address, examples and security. */
import { restPrefix } from '../rest/rest.ts';

export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

interface SampledOperation {
  operationId: string;
  tags: readonly string[];
  security: readonly object[];
  parameters?: readonly { name: string; in: string; required: boolean; example?: unknown }[];
  requestBody?: { content: { 'application/json': { example?: object } } };
}

interface SampleCall {
  method: string;
  url: string;
  needsKey: boolean;
  body: object | undefined;
}

interface RequestTarget {
  baseUrl: string;
  path: string;
  method: string;
}

export const placeholderBaseUrl = 'https://HOST';

/** The samples read the key from the environment variable GAMEHOST_KEY and send only the required input. */
export function writeSamples(target: RequestTarget, operation: SampledOperation): CodeSample[] {
  const baseUrl = target.baseUrl || placeholderBaseUrl;
  const call: SampleCall = {
    method: target.method.toUpperCase(),
    url: urlOf({ ...target, baseUrl }, operation),
    needsKey: operation.security.length > 0,
    body: bodyOf(operation),
  };
  return [
    { lang: 'Shell', label: 'curl', source: writeCurl(call) },
    { lang: 'TypeScript', label: 'TypeScript', source: writeTypeScript(baseUrl, operation) },
    { lang: 'Python', label: 'Python', source: writePython(call) },
  ];
}

const bodyOf = ({ requestBody }: SampledOperation) => requestBody?.content['application/json'].example;

function urlOf({ baseUrl, path }: RequestTarget, { parameters = [] }: SampledOperation): string {
  const examples = new Map(
    parameters.map(({ name, example }) => [name, encodeURIComponent(String(example))] as const),
  );
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=${examples.get(name)}`);
  const address = path.replace(/\{(\w+)\}/g, (_, name) => examples.get(name) ?? '');
  return `${baseUrl}${restPrefix}${address}${query.length > 0 ? `?${query.join('&')}` : ''}`;
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

/** With the client package, whose methods have the operation's tag as their group and its operationId as their name. */
function writeTypeScript(baseUrl: string, operation: SampledOperation): string {
  const { operationId, tags, security, parameters = [] } = operation;
  const required = parameters.filter((parameter) => parameter.required);
  const input = {
    ...Object.fromEntries(required.map(({ name, example }) => [name, example])),
    ...bodyOf(operation),
  };
  const given = Object.keys(input).length > 0 ? writeValue(input, typeScript) : '';
  const key = security.length > 0 ? ', key: process.env.GAMEHOST_KEY' : '';
  return `import { Gamehost } from "gamehost";

const gamehost = new Gamehost({ baseUrl: ${JSON.stringify(baseUrl)}${key} });
console.log(await gamehost.${tags[0]?.toLowerCase()}.${operationId}(${given}));`;
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
  field: (name: string) => string;
  words: Record<string, string>;
  braces: [open: string, close: string];
}

const isWord = /^[A-Za-z_]\w*$/;

const typeScript: Notation = {
  field: (name) => (isWord.test(name) ? name : JSON.stringify(name)),
  words: {},
  braces: ['{ ', ' }'],
};

const python: Notation = {
  field: JSON.stringify,
  words: { true: 'True', false: 'False', null: 'None' },
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
