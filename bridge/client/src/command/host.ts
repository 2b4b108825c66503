/** The host to which the user is signed in: its address, and the connection to its API. */
import { apiPrefix, connectTo } from '../connection.ts';
import { GamehostError } from '../errors.ts';
import type { Connection } from '../send.ts';
import { notSignedIn, wrongUse } from './failures.ts';
import { changeSignIns, type Grant, readSignIns, type SignIn } from './sign-ins.ts';

export interface Host {
  /** Without a slash at its end. */
  url: string;
  /** Sends the key from GAMEHOST_KEY, or what is kept since the sign-in to this host. */
  connection: Connection;
}

/** Resolves to null without GAMEHOST_URL and before the first sign-in. */
export async function openHost(): Promise<Host | null> {
  const given = process.env['GAMEHOST_URL'];
  const url = given ? readHostUrl(given, 'GAMEHOST_URL') : (await readSignIns()).current;
  if (!url) return null;
  const key = process.env['GAMEHOST_KEY'];
  return { url, connection: key ? connectTo({ baseUrl: url, key }) : connectSignedIn(url) };
}

/** @param source where the user gave the address, for the message of the error */
export function readHostUrl(given: string, source: string): string {
  try {
    return connectTo({ baseUrl: given }).apiUrl.slice(0, -apiPrefix.length);
  } catch (failure) {
    if (!(failure instanceof GamehostError)) throw failure;
    throw wrongUse(failure.message.replace('baseUrl', source));
  }
}

/** Repeats a call that the host refused before its access token expired: clocks differ, and a grant can change. */
function connectSignedIn(url: string): Connection {
  const renewingFetch: typeof fetch = async (target, init) => {
    const response = await fetch(target, init);
    const headers = new Headers(init?.headers);
    const sent = headers.get('Authorization')?.replace('Bearer ', '');
    // A call without the token is public, or goes to the machine of a server, which must not get it.
    if (response.status !== 401 || sent === undefined) return response;
    // If the host does not renew it either, its refusal of the call says why.
    const renewed = await readToken(url, sent).catch(() => sent);
    if (renewed === sent) return response;
    headers.set('Authorization', `Bearer ${renewed}`);
    return fetch(target, { ...init, headers });
  };
  return connectTo({ baseUrl: url, token: () => readToken(url), fetch: renewingFetch });
}

/**
 * The key or access token of the sign-in, renewed in time.
 * @param refused an access token that the host did not accept
 * @throws {GamehostError} without a sign-in, or when it ended
 */
async function readToken(url: string, refused?: string): Promise<string> {
  let { hosts } = await readSignIns();
  if (mustRenew(hosts[url], refused))
    ({ hosts } = await changeSignIns(async (kept) => {
      const signIn = kept.hosts[url];
      // A refresh token works once, and another process may have used it meanwhile.
      if (mustRenew(signIn, refused)) kept.hosts[url] = await renew(url, signIn.grant);
    }));
  const signIn = hosts[url];
  if (signIn) return signIn.token;
  throw notSignedIn(`You are not signed in to ${url}: run "gamehost login --url ${url}"`);
}

const earlyMs = 60_000;

const mustRenew = (signIn: SignIn | undefined, refused?: string): signIn is SignIn & { grant: Grant } =>
  signIn?.grant !== undefined && (signIn.token === refused || signIn.grant.expiresAt - earlyMs < Date.now());

/** Loads the OAuth library only here, so that other commands start faster. */
const renew = async (url: string, grant: Grant): Promise<SignIn> =>
  (await import('./oauth.ts')).renewGrant(url, grant);
