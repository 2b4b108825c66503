/** Everything that the database of a service holds, as one text: what must not be stored must not be in it. */
import type { TestService } from './service.ts';

export async function storedText({ connection }: TestService): Promise<string> {
  const collections = await connection.listCollections();
  const documents = collections.map(({ name }) => connection.collection(name).find().toArray());
  return JSON.stringify(await Promise.all(documents));
}
