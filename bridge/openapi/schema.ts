/** Moves the schemas of the OpenAPI document into its components, each under one name, and leaves references. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { openEnumKeywords } from '../../routers/schemas/common.ts';
import { formatZodError } from '../../routers/support/format-zod-error.ts';
import { pascalCase, rewrite, type Schema } from '../json-schema.ts';
import type { Operation } from '../operations.ts';
import { takesBody } from '../rest/input.ts';

/** `{anyOf: [{type: 'string'}, {type: 'null'}]}` becomes `{type: ['string', 'null']}`, unless an enum would exclude null. */
function mergeNull({ anyOf, ...schema }: Schema): Schema {
  const [value, nothing] = anyOf ?? [];
  const isMergeable = typeof value?.type === 'string' && !value.enum && nothing?.type === 'null';
  if (isMergeable && anyOf?.length === 2) return { ...value, ...schema, type: [String(value.type), 'null'] };
  return anyOf ? { ...schema, anyOf } : schema;
}

export class ComponentSchemas {
  readonly schemas: Record<string, Schema> = {};
  readonly #absentValues: readonly string[];

  /** @param absentValues values of open enums that responses never have, such as scopes that this service does not offer */
  constructor(absentValues: readonly string[]) {
    this.#absentValues = absentValues;
  }

  addRequest(schema: Schema, name: string): Schema {
    const change = (part: Schema, partName: string) =>
      this.#refer(this.#withAlternatives(mergeNull(part)), partName);
    return rewrite(schema, { io: 'input', change }, name);
  }

  addResponse(schema: Schema, name: string): Schema {
    const change = (part: Schema, partName: string) =>
      this.#refer(mergeNull(this.#withoutAbsent(part)), partName);
    return rewrite(schema, { io: 'output', change }, name);
  }

  #withoutAbsent(schema: Schema): Schema {
    const { 'x-extensible-enum': values } = schema;
    if (!values) return schema;
    return { ...schema, ...openEnumKeywords(values.filter((value) => !this.#absentValues.includes(value))) };
  }

  #refer(schema: Schema, name: string): Schema {
    return schema.title === undefined && !schema.properties
      ? schema
      : this.#register({ ...schema, title: name });
  }

  /** Each name has one schema. Only description and default may differ between uses. */
  #register({ title = '', default: defaultValue, ...schema }: Schema): Schema {
    const { description } = schema;
    this.schemas[title] ??= schema;
    const known = this.schemas[title];
    if (!isDeepStrictEqual(withoutDescription(known), withoutDescription(schema)))
      throw new Error(`Two schemas are named ${title}: give one another title with .meta({ title: '...' })`);
    return {
      $ref: `#/components/schemas/${title}`,
      ...(description !== undefined && description !== known.description && { description }),
      ...(defaultValue !== undefined && { default: defaultValue }),
    };
  }

  /**
   * A request must have either a field or its alias. Generators ignore a choice between lists of required fields, so the
   * choice is between two complete objects.
   */
  #withAlternatives(schema: Schema): Schema {
    const { title, description, ...rest } = schema;
    const alias = Object.entries(rest.properties ?? {}).find(
      ([, { aliasOf }]) => typeof aliasOf === 'string',
    );
    if (!alias || title === undefined) return schema;
    const [aliasName, { aliasOf, ...aliasSchema }] = alias;
    const properties = { ...rest.properties, [aliasName]: aliasSchema };
    const requiring = (field: string) => {
      const required = [field, ...(rest.required ?? [])];
      return this.#register({ ...rest, properties, required, title: `${title}With${pascalCase(field)}` });
    };
    const anyOf = [requiring(String(aliasOf)), requiring(aliasName)];
    return { title, ...(description !== undefined && { description }), anyOf };
  }
}

const withoutDescription = ({ description: _, ...schema }: Schema): Schema => schema;

const Examples = z.array(z.record(z.string(), z.unknown())).min(1);

export function exampleOf({ input, pathParameters }: Operation) {
  const [example = {}] = Examples.safeParse(input.meta()?.['examples']).data ?? [];
  const isInPath = ([field]: [string, unknown]) => pathParameters.includes(field);
  const fields = Object.entries(example);
  return {
    path: Object.fromEntries(fields.filter(isInPath)),
    rest: Object.fromEntries(fields.filter((field) => !isInPath(field))),
  };
}

/** The message for the first of these that the schema refuses: an empty body or text in the query, or an unknown field. */
export function badInputMessage(operation: Operation): string {
  const { path } = exampleOf(operation);
  const texts = Object.keys(operation.input.shape).map((field) => [field, 'abc']);
  const inputs = [takesBody(operation) ? {} : Object.fromEntries(texts), { surprise: 'abc' }];
  const [error] = inputs.flatMap((input) => operation.input.safeParse({ ...input, ...path }).error ?? []);
  if (!error) throw new Error(`${operation.name} accepts any input: its schema must be a z.strictObject`);
  return formatZodError(error);
}
