/** Decides where the client sends its calls and with which credential, from its options or the environment of Node. */
import { GamehostError } from './errors.ts';
import type { Connection } from './send.ts';

export interface GamehostOptions {
  /** The address of the host, such as https://api.games.example. In Node, `GAMEHOST_URL` by default. */
  baseUrl?: string | undefined;
  /** An API key. In Node, `GAMEHOST_KEY` by default. */
  key?: string | undefined;
  /** An app's access token in place of a key, or a function that returns a valid one before each attempt. */
  token?: string | (() => string | Promise<string>) | undefined;
  fetch?: typeof fetch | undefined;
  /** How often a call is repeated at most; 2 by default. */
  retries?: number | undefined;
  /** The longest wait for the response to one attempt; 30,000 by default. */
  timeoutMs?: number | undefined;
}

export const apiPrefix = '/api/v1';

/** @throws {GamehostError} when no address is given, or a credential would travel over plain HTTP */
export function connectTo(options: GamehostOptions): Connection {
  const { token, key, retries = 2, timeoutMs = 30_000 } = options;
  const credential = token ?? key ?? environment('GAMEHOST_KEY') ?? null;
  return {
    apiUrl: apiUrlOf(options.baseUrl ?? environment('GAMEHOST_URL')),
    credential: typeof credential === 'function' ? credential : () => credential,
    // A browser's fetch works only as a function of its window.
    fetch: options.fetch ?? ((...call) => fetch(...call)),
    retries,
    timeoutMs,
  };
}

function apiUrlOf(baseUrl: string | undefined): string {
  if (!baseUrl) throw invalid('Give baseUrl, the address of the host, or set GAMEHOST_URL');
  if (!URL.canParse(baseUrl)) throw invalid('baseUrl must be a URL, such as https://api.games.example');
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url)))
    throw invalid('baseUrl must begin with https://, except for this machine');
  const path = url.pathname.replace(/\/$/, '');
  return `${url.origin}${path.endsWith(apiPrefix) ? path : path + apiPrefix}`;
}

const isLoopback = ({ hostname }: URL) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

const environment = (name: string): string | undefined => globalThis.process?.env?.[name] || undefined;

const invalid = (message: string) => new GamehostError({ code: 'invalid_options', message });
