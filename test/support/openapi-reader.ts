/** A client that knows only the OpenAPI document: the requests that it describes, and their answers. */
import type { Schema } from '../../bridge/json-schema.ts';
import type { OpenApiDocument } from '../../bridge/openapi/document.ts';
import type { Link } from '../../bridge/openapi/links.ts';
import type { Pagination } from '../../routers/trpc.ts';
import { withQuery } from './samples.ts';

type Operation = OpenApiDocument['paths'][string][string];
type Parameter = NonNullable<Operation['parameters']>[number];

/** An operation and its place in the document. */
export interface DocumentedOperation {
  method: string;
  path: string;
  operation: Operation;
  /** A pointer to the operation within the document. */
  pointer: string;
}

export interface DocumentedRequest {
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

export const operationsOf = ({ paths }: OpenApiDocument): DocumentedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      pointer: `#/paths/${path.replaceAll('/', '~1')}/${method}`,
    })),
  );

/** Every object within a document, at any depth. */
export const partsOf = (part: unknown): Schema[] =>
  typeof part === 'object' && part !== null ? [{ ...part }, ...Object.values(part).flatMap(partsOf)] : [];

export const statusesOf = ({ operation }: DocumentedOperation) =>
  Object.keys(operation.responses).map(Number);

export const exampleRequest = (documented: DocumentedOperation): DocumentedRequest =>
  requestWith(documented, exampleText);

function exampleText({ name, example }: Parameter): string {
  if (example === undefined) throw new Error(`there is no example of ${name}`);
  return String(example);
}

const unknownUuid = '5a3b1e00-0000-4000-8000-00000000dead';

/** The same request with one value changed to the name of nothing: one request for each value. */
export function strangeRequests(documented: DocumentedOperation): DocumentedRequest[] {
  const request = exampleRequest(documented);
  const optional = parametersIn(documented, 'query').filter(({ required }) => !required);
  const required = (documented.operation.parameters ?? []).filter((parameter) => parameter.required);
  return [
    ...required.map((changed) =>
      requestWith(documented, (each) => (each === changed ? strangeText(each) : exampleText(each))),
    ),
    ...optional.map((each) => ({
      ...request,
      path: withQuery(request.path, `${each.name}=${encodeURIComponent(strangeText(each))}`),
    })),
    ...Object.entries(request.body ?? {}).map(([field, value]) => ({
      ...request,
      body: { ...request.body, [field]: strangeValue(value) },
    })),
  ];
}

const strangeText = ({ schema, example = schema.default }: Parameter) =>
  'format' in schema && schema.format === 'uuid'
    ? unknownUuid
    : schema.type === 'integer'
      ? '999999'
      : String(strangeValue(example ?? ''));

/** A path stays a path, and a list a list. */
function strangeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strangeValue);
  if (typeof value !== 'string') return value;
  return value.startsWith('/') ? '/nobody' : 'nobody';
}

/** Requests that the document forbids, likeliest mistakes first. */
export function wrongRequests(documented: DocumentedOperation): DocumentedRequest[] {
  const request = exampleRequest(documented);
  const query = parametersIn(documented, 'query').map(({ name }) => `${name}=abc`);
  return [
    ...(request.body ? [{ ...request, body: {} }] : []),
    ...(query.length > 0
      ? [{ ...request, path: withQuery(request.path.replace(/\?.*/, ''), query.join('&')) }]
      : []),
    request.body
      ? { ...request, body: { ...request.body, surprise: 'abc' } }
      : { ...request, path: withQuery(request.path, 'surprise=abc') },
  ];
}

type Body = Record<string, unknown>;

/**
 * Reads a whole list, two items a page if the length can be chosen.
 * @param ask sends a query, without a question mark, and resolves to the body of the answer
 */
export async function readPages(
  { list, parameter, field, size, more }: Pagination,
  ask: (query: string) => Promise<Body>,
): Promise<Body[]> {
  const items: Body[] = [];
  let next: unknown;
  for (let pages = 0; pages < 100; pages += 1) {
    const query = { ...(size && { [size]: '2' }), ...(next !== undefined && { [parameter]: String(next) }) };
    const body = await ask(new URLSearchParams(query).toString());
    const page = body[list] as Body[];
    items.push(...page);
    if (more ? body[more] !== true : page.length < 2) return items;
    next = field ? page.at(-1)?.[field] : Number(next ?? 1) + 1;
  }
  throw new Error(`${list} does not end`);
}

/** The operations to which a successful answer links, each with the values that the link gives its path. */
export function linkedRequests(from: DocumentedOperation, body: unknown, operations: DocumentedOperation[]) {
  const given = new Map((from.operation.parameters ?? []).map((parameter) => [parameter.name, parameter]));
  const read = (expression: string): string => {
    const [, name, pointer] = /^\$(?:request\.path\.(\w+)|response\.body#\/([\w/]+))$/.exec(expression) ?? [];
    if (name !== undefined) return exampleText(given.get(name) ?? fail(expression));
    return String(
      pointer?.split('/').reduce<unknown>((part, key) => Object(part)[key], body) ?? fail(expression),
    );
  };
  return Object.values(linksOf(from)).map(({ operationId, parameters }) => {
    const target = operations.find(({ operation }) => operation.operationId === operationId);
    return requestWith(target ?? fail(operationId), ({ name }) => read(parameters[name] ?? fail(name)));
  });
}

export const linksOf = ({ operation }: DocumentedOperation) =>
  Object.assign({}, ...Object.values(operation.responses).map(({ links }) => links)) as Record<string, Link>;

function fail(what: string): never {
  throw new Error(`a link leads nowhere: ${what}`);
}

function requestWith(
  documented: DocumentedOperation,
  textOf: (parameter: Parameter) => string,
): DocumentedRequest {
  const { method, operation } = documented;
  const values = new Map(
    parametersIn(documented, 'path').map((parameter) => [
      parameter.name,
      encodeURIComponent(textOf(parameter)),
    ]),
  );
  const query = parametersIn(documented, 'query').filter(({ required }) => required);
  const path = query.reduce(
    (before, parameter) => withQuery(before, `${parameter.name}=${encodeURIComponent(textOf(parameter))}`),
    documented.path.replace(/\{(\w+)\}/g, (_, name) => values.get(name) ?? ''),
  );
  const body = operation.requestBody?.content['application/json'].example;
  return { method, path, ...(body && { body }) };
}

const parametersIn = ({ operation }: DocumentedOperation, place: string) =>
  (operation.parameters ?? []).filter((parameter) => parameter.in === place);
