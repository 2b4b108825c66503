/** A customer's call of the API, with its duration. */
interface Call {
  key: string;
  /** Posted as JSON; a string is sent unchanged. */
  body?: object | string | undefined;
  method?: string;
  headers?: Record<string, string>;
}

export type Called = Awaited<ReturnType<typeof callApi>>;

/** Every answer must come sooner. */
const giveUpMs = 30_000;

/** @throws when there is no answer */
export async function callApi(
  url: string,
  path: string,
  { key, body, method = body === undefined ? 'GET' : 'POST', headers = {} }: Call,
) {
  const startedAt = performance.now();
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(giveUpMs),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    ms: performance.now() - startedAt,
    get body() {
      return JSON.parse(text);
    },
  };
}
