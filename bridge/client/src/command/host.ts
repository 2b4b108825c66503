/** The host to which the user is signed in: its address, its description, and the connection to its API. */
import { connectTo } from '../connection.ts';
import type { Description } from '../operations.ts';
import type { Connection } from '../send.ts';

export interface Host {
  /** Without a slash at its end. */
  url: string;
  /** Sends the key from GAMEHOST_KEY, or what is kept since the sign-in to this host. */
  connection: Connection;
  /** Kept for an hour; `isFresh` reads it from the host in any case. */
  readDescription(options?: { isFresh?: boolean }): Promise<Description>;
}

/** Null: neither signed in to a host nor told of one by GAMEHOST_URL. */
export async function openHost(): Promise<Host | null> {
  const url = process.env['GAMEHOST_URL'];
  if (!url) return null;
  const connection = connectTo({ baseUrl: url });
  return {
    url,
    connection,
    readDescription: async () => (await fetch(`${connection.apiUrl}/openapi.json`)).json(),
  };
}
