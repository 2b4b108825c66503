/** A service's full database as one text, to prove that a value is not stored. */
import type { TestService } from './service.ts';

export async function storedText({ connection }: TestService): Promise<string> {
  const collections = await connection.listCollections();
  const documents = collections.map(({ name }) => connection.collection(name).find().toArray());
  return JSON.stringify(await Promise.all(documents));
}
