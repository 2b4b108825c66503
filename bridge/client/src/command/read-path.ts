/** Reads a path that every host has, without its description. */
import { type Connection, send } from '../send.ts';

const operation = { name: '', group: '', method: 'GET', query: [], headers: [], pagination: null };

/** @param path below the address of the API */
export const readPath = (connection: Connection, path: string): Promise<unknown> =>
  send(connection, { operation: { ...operation, path, isIdempotent: false } });
