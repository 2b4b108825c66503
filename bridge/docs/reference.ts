/** Writes the endpoints in Markdown, for the page and for agents: input, output and specific errors of each. */
import type { Schema } from '../json-schema.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { restErrors } from '../openapi/responses.ts';
import { restPrefix } from '../rest/rest.ts';
import { type DocumentedOperation, writeCode } from './markdown.ts';

type Schemas = Readonly<Record<string, Schema>>;

export const writeReference = (
  { components }: OpenApiDocument,
  operations: readonly DocumentedOperation[],
): string => operations.map((operation) => writeOperation(operation, components.schemas)).join('\n\n');

function writeOperation(operation: DocumentedOperation, schemas: Schemas): string {
  const { method, path, summary } = operation;
  const [sample] = operation['x-codeSamples'] ?? [];
  return [
    `### ${method} ${restPrefix}${path}`,
    `**${summary}.** ${describeOperation(operation, schemas)}`,
    ...(sample ? [writeCode('sh', sample.source)] : []),
  ].join('\n\n');
}

/** Leaves out the title and the samples. */
export function describeOperation(operation: DocumentedOperation, schemas: Schemas): string {
  const { description, responses } = operation;
  const input = [...parameterLines(operation, schemas), ...bodyLines(operation, schemas)];
  return [
    description,
    ...(input.length > 0 ? [`Input:\n\n${input.join('\n')}`] : []),
    writeSuccess(responses, schemas),
    ...errorLines(responses),
  ].join('\n\n');
}

const parameterLines = ({ parameters = [] }: DocumentedOperation, schemas: Schemas): string[] =>
  parameters
    .filter((parameter) => parameter.in !== 'header')
    .map(({ name, in: place, required, description, schema }) =>
      inputLine(
        { name, place: `in the ${place}`, isRequired: required },
        { ...schema, description },
        schemas,
      ),
    );

function bodyLines({ requestBody }: DocumentedOperation, schemas: Schemas): string[] {
  if (!requestBody) return [];
  const whole = resolve(requestBody.content['application/json'].schema, schemas);
  const { properties = {}, required = [] } = whole.anyOf?.[0] ? resolve(whole.anyOf[0], schemas) : whole;
  return Object.entries(properties).map(([name, schema]) =>
    inputLine({ name, place: 'in the body', isRequired: required.includes(name) }, schema, schemas),
  );
}

interface Input {
  name: string;
  place: string;
  isRequired: boolean;
}

function inputLine({ name, place, isRequired }: Input, schema: Schema | object, schemas: Schemas): string {
  const described: Schema = { ...schema };
  const type = writeType(described, schemas);
  const { description = resolve(described, schemas).description } = described;
  const words = [`\`${type}\``, place, ...(isRequired ? ['required'] : [])];
  return `- \`${name}\` (${words.join(', ')})${description ? `: ${description}` : ''}`;
}

type Responses = DocumentedOperation['responses'];

function writeSuccess(responses: Responses, schemas: Schemas): string {
  const [status = '', response] = Object.entries(responses).find(([code]) => code < '300') ?? [];
  const others = Object.keys(responses).filter((code) => code < '300' && code !== status);
  const type = response ? writeType(response.content['application/json'].schema, schemas, '\n') : '';
  return `Returns ${[status, ...others].join(' or ')}:\n\n${writeCode('ts', type)}`;
}

const commonErrorTexts: ReadonlySet<string> = new Set(restErrors.map(({ when }) => when));

/** Leaves out errors that the section on errors already describes for all operations. */
function errorLines(responses: Responses): string[] {
  const lines = Object.entries(responses)
    .filter(
      ([code, { description }]) => code >= '400' && code !== '403' && !commonErrorTexts.has(description),
    )
    .map(([code, { description }]) => `- ${code}: ${description}`);
  return lines.length > 0 ? [`Specific errors:\n\n${lines.join('\n')}`] : [];
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const { $ref } = schema;
  return $ref === undefined ? schema : (schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {});
}

/**
 * Writes a schema in TypeScript's notation.
 * @param lineBreak includes the indentation so far; if empty, the result is one line without descriptions of fields
 */
function writeType(part: Schema, schemas: Schemas, lineBreak = ''): string {
  const schema = resolve(part, schemas);
  const { anyOf, type, items, properties, required = [], 'x-extensible-enum': known } = schema;
  const choices = schema.enum ?? (schema['const'] === undefined ? undefined : [schema['const']]);
  if (choices) return choices.map((value) => JSON.stringify(value)).join(' | ');
  if (known) return [...known.map((value) => JSON.stringify(value)), ...[type ?? []].flat()].join(' | ');
  if (anyOf) return anyOf.map((choice) => writeType(choice, schemas, lineBreak)).join(' | ');
  const orNull = [type].flat().includes('null') ? ' | null' : '';
  if (items) return `Array<${writeType(items, schemas, lineBreak)}>${orNull}`;
  if (!properties) return [type ?? 'any'].flat().join(' | ');
  const fieldBreak = lineBreak && `${lineBreak}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const { description } = { ...resolve(field, schemas), ...field };
    const written = `${name}${required.includes(name) ? '' : '?'}: ${writeType(field, schemas, fieldBreak)}`;
    return lineBreak && description ? `${written}; // ${description}` : written;
  });
  return lineBreak ? `{${fieldBreak}${fields.join(fieldBreak)}${lineBreak}}` : `{ ${fields.join('; ')} }`;
}
