/** Picks a schema's fields from a record. Schemas name fields in snake case, records in camel case. */
import { z } from 'zod';
import { presentMoment } from './common.ts';

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

type FieldOf<Name extends string, Stored> = Name extends 'id'
  ? '_id' extends keyof Stored
    ? '_id'
    : 'id'
  : CamelCase<Name>;

type Presented<Value> = Value extends Date ? string : Value;

type NullIfAbsent<Value, Schema> = null extends z.output<Schema> ? Exclude<Value, undefined> | null : Value;

type Picked<Shape, Stored> = {
  [Name in keyof Shape & string as FieldOf<Name, Stored> extends keyof Stored ? Name : never]: FieldOf<
    Name,
    Stored
  > extends infer Field extends keyof Stored
    ? Presented<undefined extends Stored[Field] ? NullIfAbsent<Stored[Field], Shape[Name]> : Stored[Field]>
    : never;
};

/**
 * The type shows which fields the caller must add, because the record does not have them. Dates become date-times. A field
 * that a stored document lacks becomes null if the schema accepts null.
 */
export function createPick<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  const fields = Object.entries(shape).map(([name, schema]) => {
    return { name, field: camelCase(name), absent: z.safeParse(schema, null).success ? null : undefined };
  });
  return function pick<Stored extends object>(stored: Stored): Picked<Shape, Stored> {
    const record = stored as Record<string, unknown>;
    const picked: Record<string, unknown> = {};
    for (const { name, field, absent } of fields) {
      const value = (field === 'id' && '_id' in record ? record['_id'] : record[field]) ?? absent;
      if (value !== undefined) picked[name] = value instanceof Date ? presentMoment(value) : value;
    }
    return picked as Picked<Shape, Stored>;
  };
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
