/** Ends a call's wait at its time limit, when the client disconnects, or when the service stops. */
import type { RequestContext } from '../../bridge/protocol.ts';

/** Counted from the arrival of the request, even if several of its calls wait one after another. */
export const waitMsMax = 25_000;

export function createEndOfWait(
  { res, state }: Pick<RequestContext, 'res' | 'state'>,
  seconds: number,
  stopping: AbortSignal,
): AbortSignal {
  const end = new AbortController();
  const abort = () => end.abort();
  if (res.closed || stopping.aborted) abort();
  const leftMs = waitMsMax - (performance.now() - state.request.receivedAt);
  const timer = setTimeout(abort, Math.min(seconds * 1000, leftMs));
  stopping.addEventListener('abort', abort, { once: true, signal: end.signal });
  res.setMaxListeners(0); // every waiting call of a batch adds a listener, and Node warns about more than ten
  res.once('close', () => {
    clearTimeout(timer);
    abort();
  });
  return end.signal;
}
