/** Sends each write with an idempotency key: one whose answer was lost is not done twice when the user presses again. */

/** How long the same request counts as the same press; later it is meant anew. */
const sameWriteMs = 5 * 60_000;

/** Statuses of ours after which the write may still be made under its key. */
const openStatuses = [409, 500, 503];

/** Only the last write is remembered: after another one, a repetition is meant. */
export function createRepeatableFetch(): (url: string | URL | Request, init?: object) => Promise<Response> {
  let unanswered: { request: string; key: string; until: number } | null = null;
  return async (url, init: RequestInit = {}) => {
    if (init.method !== 'POST') return fetch(url, init);
    const request = `${url} ${init.body}`;
    const isSame = unanswered?.request === request && Date.now() < unanswered.until;
    const write =
      isSame && unanswered ? unanswered : { request, key: newKey(), until: Date.now() + sameWriteMs };
    unanswered = write;
    const headers = { ...(init.headers as Record<string, string>), 'Idempotency-Key': write.key };
    const response = await fetch(url, { ...init, headers });
    await response.clone().arrayBuffer(); // the connection may break in the middle
    const isOurs = response.headers.get('Content-Type')?.includes('json') ?? false;
    if (isOurs && !openStatuses.includes(response.status) && unanswered === write) unanswered = null;
    return response;
  };
}

/** Without TLS, browsers have no `crypto.randomUUID`. */
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
