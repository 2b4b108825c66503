/** Declares what a collection stores: the record's type, its indexes and MongoDB's validator come from one Mongoose schema. */
import {
  type Connection,
  type InferRawDocTypeWithout_id,
  type Model,
  type mongo,
  Schema,
  type SchemaDefinition,
} from 'mongoose';

/** Mongoose infers an optional field from `default: null`; here it is required and may be null. */
type Declared<Definition, Inferred = InferRawDocTypeWithout_id<Definition>> = {
  [Field in keyof Inferred as IsNullable<Definition, Field> extends true ? never : Field]: Inferred[Field];
} & {
  [Field in keyof Inferred as IsNullable<Definition, Field> extends true ? Field : never]-?: Inferred[Field];
};

type IsNullable<Definition, Field> = Definition[Field & keyof Definition] extends { default: null }
  ? true
  : false;

type StoredBy<Definition> = { [Field in keyof Declared<Definition>]: Declared<Definition>[Field] };

export type RecordOf<Declaration> = Declaration extends Schema<infer Stored> ? Stored : never;

/**
 * Declares documents, or a part of them. A field with
 * - `required: true` is always there
 * - `default: null` is always there, perhaps as null
 * - another `default` is there, except in documents that an earlier release writes: MongoDB does not require it
 * - `allowNull: false` is absent or has a value
 * - none of these is absent, null or has a value
 *
 * Writes by the driver apply no default, so they set each field that is always there.
 */
export const defineSchema = <const Definition extends SchemaDefinition>(
  definition: Definition,
): Schema<StoredBy<Definition>> =>
  new Schema<StoredBy<Definition>>(definition, { _id: false, versionKey: false });

/** The driver's collection, which casts nothing. */
export function defineCollection<Stored extends mongo.Document>(
  connection: Connection,
  name: string,
  schema: Schema<Stored>,
): mongo.Collection<Stored> {
  connection.model(name, schema, name);
  return connection.collection<Stored>(name);
}

/** Creates missing collections, indexes and validators; fast when none is missing. Rejects when an index has other options. */
export async function ensureCollections(connection: Connection): Promise<void> {
  const found = (await connection.db?.listCollections({}, { nameOnly: false }).toArray()) ?? [];
  const existing = new Map(found.map(({ name, options = {} }) => [name, options]));
  const ensure = async (model: Model<unknown>) => {
    const { collectionName } = model.collection;
    const options = existing.get(collectionName);
    const rules = rulesOf(model);
    if (!options) await model.createCollection(rules);
    else if (isDifferent(options, rules)) await connection.db?.command({ collMod: collectionName, ...rules });
    await model.createIndexes();
  };
  await Promise.all(Object.values(connection.models).map(ensure));
}

/** `moderate` allows changes to stored documents that do not fit the validator. */
const rulesOf = ({ schema }: Model<unknown>) => ({
  validator: { $jsonSchema: schema.toJSONSchema({ useBsonType: true }) },
  validationLevel: 'moderate',
});

const isDifferent = ({ validator, validationLevel }: mongo.Document, rules: ReturnType<typeof rulesOf>) =>
  JSON.stringify({ validator, validationLevel }) !== JSON.stringify(rules);
