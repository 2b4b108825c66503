/** One request and its response: each failure is a GamehostError, or the reason of the caller's signal. */
import { GamehostError } from './errors.ts';

export interface Limits {
  signal?: AbortSignal | undefined;
  /** Until the whole response is read. Undefined: as long as it takes. */
  timeoutMs?: number | undefined;
}

export interface Exchange {
  response: Response;
  text: string;
}

/** @throws {GamehostError} with the code `timeout` or `connection_failed` */
export async function exchange(
  send: typeof fetch,
  { url, ...init }: RequestInit & { url: string },
  { signal, timeoutMs }: Limits,
): Promise<Exchange> {
  const timeout = new AbortController();
  // AbortSignal.timeout would let Node exit while fetch still waits, as it can for a connection closed at once.
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => timeout.abort(), timeoutMs);
  const signals = signal ? [signal, timeout.signal] : [timeout.signal];
  try {
    // A redirection could lead to another host, which must not get the credential.
    const response = await send(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) });
    return { response, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    const { host } = new URL(url);
    throw timeout.signal.aborted
      ? new GamehostError({ code: 'timeout', message: `${host} did not answer in time`, cause })
      : new GamehostError({ code: 'connection_failed', message: `${host} could not be reached`, cause });
  } finally {
    clearTimeout(timer);
  }
}

/** A browser hides a redirection behind the status 0. */
export const isRedirect = ({ status }: Response): boolean => status === 0 || (status >= 300 && status < 400);

const textLengthMax = 500;

/** Shortens a text from elsewhere for a message, and removes control characters, which a terminal would obey. */
export const readable = (text: string): string =>
  text
    .slice(0, textLengthMax)
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
