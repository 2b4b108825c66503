/** An app that signs its user in like an agent: it registers, sends the user to the service, and gets tokens. */
import { hash, randomBytes } from 'node:crypto';
import { type Account, signInAccount } from './account.ts';
import type { Answer } from './service.ts';

interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
}

interface Registered {
  client_id: string;
  client_secret?: string;
}

export const redirectUri = 'http://127.0.0.1:9/callback';

export const registration = {
  client_name: 'Test agent',
  redirect_uris: [redirectUri],
  token_endpoint_auth_method: 'none',
};

/** Sends a request and parses the JSON of the answer. */
export async function sendRequest(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

let appCount = 0;

/** An app with a unique address that it never uses. */
function anotherApp() {
  appCount += 1;
  return { ...registration, redirect_uris: [redirectUri, `http://127.0.0.1/${appCount}`] };
}

export const register = (service: { url: string }, metadata: object = anotherApp()): Promise<Answer> =>
  sendRequest(`${service.url}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(metadata),
  });

export const postForm = (
  { url }: { url: string },
  path: string,
  { form, headers = {} }: { form: Record<string, string>; headers?: Record<string, string> },
): Promise<Answer> =>
  sendRequest(`${url}${path}`, { method: 'POST', headers, body: new URLSearchParams(form) });

/** A request of an app that waits for the user. */
interface PendingAuthorization {
  id: string;
  cookie: string;
}

export interface Flow extends PendingAuthorization {
  verifier: string;
}

interface AuthorizationRequest {
  clientId: string;
  params?: Record<string, string>;
}

export function authorizeUrl(
  service: { url: string },
  { clientId, params = {} }: AuthorizationRequest,
  verifier: string,
): string {
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state: 'a state' },
    ...{ code_challenge: hash('sha256', verifier, 'base64url'), code_challenge_method: 'S256' },
    ...params,
  });
  return `${service.url}/oauth/authorize?${query}`;
}

/** Opens the address to which an app sends its user's browser. @throws when the service does not ask the user */
export async function sendUser(url: string): Promise<PendingAuthorization> {
  const answer = await sendRequest(url);
  const location = answer.headers.get('Location') ?? '';
  const [, id] = /^\/account\/connect#(.+)$/.exec(location) ?? [];
  if (!id) throw new Error(`the service answers ${answer.status} ${location} ${answer.text}`);
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return { id, cookie };
}

/** Begins to authorize an app. @throws when the service does not ask the user */
export async function begin(service: { url: string }, asking: AuthorizationRequest): Promise<Flow> {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, ...(await sendUser(authorizeUrl(service, asking, verifier))) };
}

/** Follows the redirects after the decision; resolves to the app's address with its query. */
export async function resume(
  service: { url: string },
  { id, cookie }: PendingAuthorization,
  account: Account,
): Promise<Answer & { params: URLSearchParams }> {
  const session = [...account.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await sendRequest(`${service.url}/oauth/authorize/${id}`, {
    headers: { Cookie: `${cookie}; ${session}`, Accept: 'text/html' },
  });
  const location = answer.headers.get('Location');
  return { ...answer, params: new URLSearchParams(location ? new URL(location).search : '') };
}

export const exchange = (
  service: { url: string },
  {
    code,
    verifier,
    clientId,
    ...more
  }: { code: string; verifier: string; clientId: string; resource?: string; client_assertion?: string },
) =>
  postForm(service, '/oauth/token', {
    form: {
      ...{ grant_type: 'authorization_code', code, code_verifier: verifier, client_id: clientId },
      ...{ redirect_uri: redirectUri, ...more },
    },
  });

export const refresh = (service: { url: string }, clientId: string, refreshToken: string) =>
  postForm(service, '/oauth/token', {
    form: { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId },
  });

interface AllowOptions {
  email: string;
  /** The granted scopes; by default all requested ones. */
  scopes?: string[];
}

/** The user's part: signs in, allows the app, and returns to it. */
export async function allow(
  service: { url: string },
  pending: PendingAuthorization,
  { email, scopes }: AllowOptions,
) {
  const account = await signInAccount(service.url, { email });
  const asked = await account.api.apps.request.query({ request_id: pending.id });
  const granted = scopes ?? asked.scopes.map(({ scope }) => scope);
  await account.api.apps.allow.mutate({ request_id: pending.id, scopes: granted as never });
  return { account, ...(await resume(service, pending, account)) };
}

interface ConnectOptions extends AllowOptions {
  params?: Record<string, string>;
  clientId?: string;
}

/** The complete flow: register, sign in, allow, exchange. */
export async function connectApp(service: { url: string }, { params, ...given }: ConnectOptions) {
  const clientId = given.clientId ?? ((await register(service)).body as Registered).client_id;
  const flow = await begin(service, { clientId, ...(params && { params }) });
  const { account, params: answered } = await allow(service, flow, given);
  const code = answered.get('code') ?? '';
  const { body } = await exchange(service, { code, verifier: flow.verifier, clientId });
  return { clientId, flow, account, code, tokens: body as Tokens };
}
