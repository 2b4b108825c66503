/** Compares an answer with the OpenAPI document: body, headers, example, and no undocumented fields. */
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import type { OpenApiDocument } from '../../bridge/openapi/document.ts';
import { stillInProgress } from '../../routers/errors.ts';
import type { DocumentedOperation } from './openapi-reader.ts';
import type { Answer } from './service.ts';

/** @returns an assertion: `expectValid(pointer to a schema, value)`; it refuses fields that the schema does not name */
export function createValidator(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true, coerceTypes: false });
  addFormats.default(ajv);
  ajv.addVocabulary([...Object.keys(document), 'x-extensible-enum']);
  ajv.addSchema({ $id: 'document:', ...closed(document) });
  return (pointer: string, value: unknown) => {
    const isValid = ajv.validate({ $ref: `document:${pointer}` }, value);
    expect(isValid, `${pointer}: ${ajv.errorsText()} in ${JSON.stringify(value)}`).to.equal(true);
  };
}

/** @returns an assertion: `expectDescribed(operation, 404, answer)` */
export function createExpectDescribed(document: OpenApiDocument) {
  const expectValid = createValidator(document);
  const isAlwaysThere = (header: string) =>
    Object.entries(document.components.headers).some(([name, { required }]) => name === header && required);

  return function expectDescribed(
    { operation, pointer }: DocumentedOperation,
    status: number,
    answer: Answer,
  ) {
    const response = operation.responses[status];
    if (!response) throw new Error(`${pointer} does not describe ${status}`);
    expect(answer.status).to.equal(status);
    expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
    expectValid(`${pointer}/responses/${status}/content/application~1json/schema`, answer.body);
    const [example] = examplesOf(response);
    // The description lists every resource that may be missing, and the example shows one.
    const isListed = response.description.startsWith('There is no such ');
    const [, missing = 'nothing'] = /^(.+?) not found/.exec(answer.body?.error?.message) ?? [];
    if (isListed) expect(response.description).to.match(RegExp(`\\b${missing.toLowerCase()}\\b`));
    // Any request with an Idempotency-Key can get this conflict, even if the example shows another.
    else if (example && answer.body?.error?.message !== stillInProgress().message)
      expect(withoutSeconds(answer.body)).to.deep.equal(example);
    for (const [name, { $ref }] of Object.entries(response.headers)) {
      const value = answer.headers.get(name);
      if (value === null && !isAlwaysThere(name)) continue;
      expect(value, name).to.be.a('string');
      expectValid(`${$ref}/schema`, /^\d+$/.test(value ?? '') ? Number(value) : value);
    }
  };
}

/** The example of a response, and the names of what may be missing, unless these answers have them. */
export function examplesNotSent(
  { operation }: DocumentedOperation,
  status: number,
  answers: readonly Answer[],
): unknown[] {
  const sent = answers.map(({ body }) => withoutSeconds(body));
  const response = operation.responses[status];
  const [, names] = /^There is no such (.+?)(?:\.$|, or it belongs)/.exec(response?.description ?? '') ?? [];
  const isSent = (name: string) => sent.some(({ error }) => error.message.toLowerCase().startsWith(name));
  return [
    ...examplesOf(response).filter((example) => !sent.some((body) => isDeepStrictEqual(body, example))),
    ...(names?.split(/, | or /) ?? []).filter((name) => !isSent(`${name} not found`)),
  ];
}

type DocumentedResponse = DocumentedOperation['operation']['responses'][number];

function examplesOf(response: DocumentedResponse | undefined): unknown[] {
  const { example } = response?.content['application/json'] ?? {};
  return example === undefined ? [] : [withoutSeconds(example)];
}

/** The document with every object closed, so that undocumented fields fail. */
const closed = (document: OpenApiDocument): object =>
  JSON.parse(JSON.stringify(document), (_, part) =>
    part?.type === 'object' && part.properties ? { additionalProperties: false, ...part } : part,
  );

/** The wait depends on the moment and the address on the caller; everything else equals the example. */
const withoutSeconds = (body: unknown) =>
  JSON.parse(
    JSON.stringify(body)
      .replace(/in \d+ s/, 'in N s')
      .replace(/the address [\d.]+/, 'the address A'),
  );
