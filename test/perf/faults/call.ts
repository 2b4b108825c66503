/** A call of the API as a customer makes it, and how long it took. */

interface Call {
  key: string;
  /** JSON, which is posted; a text goes out as it stands. */
  body?: object | string | undefined;
  method?: string;
  headers?: Record<string, string>;
}

export interface Called {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape it expects
  body: any;
  ms: number;
}

/** No answer may take so long. */
const giveUpMs = 30_000;

/** @throws when there is no answer */
export async function callApi(
  url: string,
  path: string,
  { key, body, method = body === undefined ? 'GET' : 'POST', headers = {} }: Call,
): Promise<Called> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(giveUpMs),
  });
  const { status, headers: told } = response;
  const text = await response.text();
  const ms = performance.now() - startedAt;
  return {
    ...{ status, headers: told, text, ms },
    get body() {
      return JSON.parse(text);
    },
  };
}
