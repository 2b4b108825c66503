/** The schemas in `components`: every object and every titled schema once, under its name, and references to them. */
import { isDeepStrictEqual } from 'node:util';
import { leaveOpen, makePortable, type Schema } from './schema.ts';

type Change = (schema: Schema) => Schema;

export class ComponentSchemas {
  readonly schemas: Record<string, Schema> = {};
  readonly #absentValues: readonly unknown[];

  /** @param absentValues known values of enumerations that occur nowhere in this document */
  constructor(absentValues: readonly unknown[]) {
    this.#absentValues = absentValues;
  }

  /** @param name used when the schema has no title */
  addRequest(schema: Schema, name: string): Schema {
    return this.#add(schema, name, (part) => this.#withAlternatives(makePortable(part)));
  }

  addResponse(schema: Schema, name: string): Schema {
    return this.#add(schema, name, (part) => leaveOpen(makePortable(this.#withoutAbsent(part))));
  }

  #withoutAbsent({ knownValues, ...schema }: Schema): Schema {
    if (!Array.isArray(knownValues)) return schema;
    return { ...schema, knownValues: knownValues.filter((value) => !this.#absentValues.includes(value)) };
  }

  /** Replaces a schema and those in it by references, innermost first; an object without a title is named by its place. */
  #add(schema: Schema, name: string, change: Change): Schema {
    const { properties, items, anyOf } = schema;
    const ownName = schema.title ?? name;
    const changed = change({
      ...schema,
      ...(properties && {
        properties: mapEntries(properties, (part, key) => this.#add(part, ownName + pascalCase(key), change)),
      }),
      ...(items && { items: this.#add(items, `${ownName}Item`, change) }),
      ...(anyOf && { anyOf: anyOf.map((part) => this.#add(part, ownName, change)) }),
    });
    if (changed.title === undefined && !changed.properties) return changed;
    return this.#register({ ...changed, title: ownName });
  }

  /** One name, one schema; only description and default may differ from use to use. */
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
   * A field marked `aliasOf` another makes either of them required: as a choice between two whole objects, because
   * generators ignore a choice between two lists of required fields.
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

export const pascalCase = (name: string): string =>
  name.replace(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase());

const mapEntries = (schemas: Record<string, Schema>, change: (schema: Schema, key: string) => Schema) =>
  Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, change(schema, key)]));
