/** The account page's procedures as its front end calls them: typed, with the service's cookie. */
import { createTRPCClient, httpLink } from '@trpc/client';
import type { AccountPageRouter } from '../../routers/account/index.ts';
import type { Answer } from './service.ts';

export type Account = ReturnType<typeof openAccount>;

/** Caller at the account page of a service, not signed in yet. */
export function openAccount(origin: string) {
  const cookies = new Map<string, string>();
  /** Sends a request as a browser does for the page's own scripts. */
  const send = async (url: string | URL, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    if (!headers.has('Sec-Fetch-Site')) headers.set('Sec-Fetch-Site', 'same-origin');
    const answer = await fetch(url, { ...init, headers });
    for (const cookie of answer.headers.getSetCookie()) keep(cookies, cookie);
    return answer;
  };
  const url = `${origin}/account/trpc`;
  const api = createTRPCClient<AccountPageRouter>({
    links: [httpLink({ url, fetch: (target, init) => send(String(target), init as RequestInit) })],
  });
  return {
    api,
    cookies,
    call: async (
      procedure: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Answer> => {
      const answer = await send(`${url}/${procedure}`, {
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
    },
  };
}

export async function signInAccount(
  origin: string,
  { email, password = 'correct horse' }: SignIn,
): Promise<Account> {
  const account = openAccount(origin);
  await account.api.session.signIn.mutate({ email, password });
  return account;
}

interface SignIn {
  email: string;
  password?: string;
}

function keep(cookies: Map<string, string>, header: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
  if (value) cookies.set(name, value);
  else cookies.delete(name);
}
