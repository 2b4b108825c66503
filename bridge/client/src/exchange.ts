/** One request and its response: each failure is a GamehostError, or the reason of the caller's signal. */
import { GamehostError } from './errors.ts';

export interface Limits {
  /** Ends the call, and the wait before a retry; the call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The longest wait for the whole response to one attempt. */
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
  { signal, timeoutMs = timerMsMax }: Limits,
): Promise<Exchange> {
  const timeout = new AbortController();
  // AbortSignal.timeout would let Node exit while fetch still waits, as it can for a connection closed at once.
  const timer = setTimeout(() => timeout.abort(), Math.min(timeoutMs, timerMsMax));
  const signals = signal ? [signal, timeout.signal] : [timeout.signal];
  try {
    // A redirection could lead to another host, which must not get the credential.
    const response = await send(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) });
    const body = response.body?.pipeThrough(createLimit());
    return { response, text: await (body ? new Response(body) : response).text() };
  } catch (cause) {
    signal?.throwIfAborted();
    const { host } = new URL(url);
    const isLate = timeout.signal.aborted;
    timeout.abort(); // closes the connection
    throw isLate
      ? new GamehostError({ code: 'timeout', message: `${host} did not answer in time`, cause })
      : new GamehostError({ code: 'connection_failed', message: describeLoss(host, cause), cause });
  } finally {
    clearTimeout(timer);
  }
}

/** With Node's code, such as ENOTFOUND or CERT_HAS_EXPIRED. */
function describeLoss(host: string, cause: unknown): string {
  const { code } = (cause as { cause?: { code?: unknown } }).cause ?? {};
  return `${host} could not be reached${typeof code === 'string' ? ` (${code})` : ''}`;
}

/** The longest time of a timer. */
const timerMsMax = 2 ** 31 - 1;

/** More than the API ever answers. */
const bytesMax = 64 * 1024 * 1024;

function createLimit(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let left = bytesMax;
  return new TransformStream({
    transform(part, controller) {
      left -= part.length;
      if (left < 0) throw new Error('the response is too long');
      controller.enqueue(part);
    },
  });
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
