/** The host to which the user is signed in: its address, its description, and the connection to its API. */
import { connectTo } from '../connection.ts';
import { GamehostError } from '../errors.ts';
import type { Description } from '../operations.ts';
import type { Connection } from '../send.ts';
import { readToken } from './access.ts';
import { readDescription } from './description.ts';
import { NotSignedInError, UsageError } from './failures.ts';
import { readSignIns } from './sign-ins.ts';

export interface Host {
  /** Without a slash at its end. */
  url: string;
  /** Sends the key from GAMEHOST_KEY, or what is kept since the sign-in to this host. */
  connection: Connection;
  /** Kept for an hour; `isFresh` reads it from the host in any case. */
  readDescription(options?: { isFresh?: boolean }): Promise<Description>;
}

/** Resolves to null without GAMEHOST_URL and before the first sign-in. */
export async function openHost(): Promise<Host | null> {
  const given = process.env['GAMEHOST_URL'];
  const url = given ? readHostUrl(given, 'GAMEHOST_URL') : (await readSignIns()).current;
  if (!url) return null;
  const key = process.env['GAMEHOST_KEY'];
  const connection = key ? connectTo({ baseUrl: url, key }) : connectSignedIn(url);
  return {
    url,
    connection,
    readDescription: ({ isFresh } = {}) => readDescription(connection.apiUrl, isFresh),
  };
}

const apiPrefix = '/api/v1';

/** @param source where the user gave the address, for the message of the error */
export function readHostUrl(given: string, source: string): string {
  try {
    return connectTo({ baseUrl: given }).apiUrl.slice(0, -apiPrefix.length);
  } catch (failure) {
    if (!(failure instanceof GamehostError)) throw failure;
    throw new UsageError(failure.message.replace('baseUrl', source));
  }
}

const connectSignedIn = (url: string): Connection =>
  connectTo({ baseUrl: url, token: () => requireToken(url), fetch: createRenewingFetch(url) });

async function requireToken(url: string): Promise<string> {
  const token = await readToken(url);
  if (token === null)
    throw new NotSignedInError(`You are not signed in to ${url}: run "gamehost login --url ${url}"`);
  return token;
}

/** Repeats a call that the host refused before its access token expired: clocks differ, and a grant can change. */
const createRenewingFetch =
  (url: string): typeof fetch =>
  async (target, init) => {
    const response = await fetch(target, init);
    const headers = new Headers(init?.headers);
    const sent = headers.get('Authorization')?.replace('Bearer ', '');
    if (response.status !== 401 || sent === undefined) return response;
    // If the host does not renew it either, its refusal of the call says why.
    const renewed = await readToken(url, sent).catch(() => null);
    if (renewed === null || renewed === sent) return response;
    headers.set('Authorization', `Bearer ${renewed}`);
    return fetch(target, { ...init, headers });
  };
