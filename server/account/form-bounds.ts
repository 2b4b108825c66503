/**
 * Reads the bounds of the account page's form fields from the JSON schemas of their requests, when the page is built.
 */
import { rewrite, type Schema, toJsonSchema } from '../../bridge/json-schema.ts';
import { readSessionOperations } from '../../bridge/operations.ts';
import { accountPageRouter } from '../../routers/account/index.ts';
import { type Bounds, formRequests } from './page/requests.ts';

type FieldBounds = Record<string, Bounds>;

export const readFormBounds = (): Record<string, FieldBounds> =>
  Object.fromEntries(formRequests.map((path) => [path, boundsIn(schemaAt(path))]));

function schemaAt(path: string): Schema {
  const operation = readSessionOperations(accountPageRouter).find(
    ({ name }) => path === name || path.startsWith(`${name}.`),
  );
  if (!operation) throw new Error(`${path} is not a procedure of the account page`);
  const schema = rewrite(toJsonSchema(operation.input, 'input'), { io: 'input', change: (part) => part });
  const list = path.slice(operation.name.length + 1);
  const part = list ? schema.properties?.[list]?.items : schema;
  if (!part) throw new Error(`${operation.name} takes no list ${list}`);
  return part;
}

function boundsIn({ properties = {}, required = [] }: Schema, prefix = ''): FieldBounds {
  const bounds = Object.entries(properties).map(([name, property]) => {
    const schema = withoutNull(property);
    const path = `${prefix}${name}`;
    if (schema.items?.properties) return boundsIn(schema.items, `${path}.`);
    return { [path]: boundsOf(schema, required.includes(name)) };
  });
  return Object.assign({}, ...bounds);
}

const withoutNull = (schema: Schema): Schema => schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;

/**
 * The user types a list of texts with one separator between two items. Only the service validates a format such as
 * `email`.
 */
function boundsOf(schema: Schema, isRequired: boolean): Bounds {
  const { type, minimum: min, maximum: max, maxItems, items } = schema;
  const { maxLength, pattern, format } = schema as { maxLength?: number; pattern?: string; format?: string };
  const itemLength = items?.['maxLength'];
  const isList = typeof maxItems === 'number' && typeof itemLength === 'number';
  return {
    ...(isRequired && { isRequired }),
    ...(maxLength !== undefined && { maxLength }),
    ...(isList && { maxLength: maxItems * (itemLength + 1) - 1 }),
    ...(type === 'integer' && { isInteger: true }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(pattern !== undefined && format === undefined && { pattern }),
  };
}
