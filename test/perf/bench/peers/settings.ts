/** What every peer must be given. */
import type { Config } from '../../../../server/config.ts';

export function databaseUri({ mongodbUri }: Config): string {
  if (!mongodbUri) throw new Error('MONGODB_URI is required');
  return mongodbUri;
}
