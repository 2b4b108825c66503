/** A collection that is used as it is: Mongoose knows its indexes, which it builds, and casts nothing. */
import { type Connection, type IndexDefinition, type IndexOptions, type mongo, Schema } from 'mongoose';

type Index = readonly [keys: IndexDefinition, options?: IndexOptions];

export function defineCollection<Stored extends mongo.Document>(
  connection: Connection,
  name: string,
  indexes: readonly Index[] = [],
): mongo.Collection<Stored> {
  const schema = new Schema();
  for (const index of indexes) schema.index(...index);
  connection.model(name, schema, name);
  return connection.collection<Stored>(name);
}
