/** Sends the user's browser to a host, and receives it back at a loopback address (RFC 8252, section 7.3). */
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { GamehostError } from '../errors.ts';

interface Visit<Result> {
  /** The page of the host, which sends the browser on to the loopback address with the same `state`. */
  addressOf: (redirectUri: string) => URL;
  /** Receives the loopback address to which the browser came back. */
  finish: (returned: URL) => Promise<Result>;
}

const visitMsMax = 5 * 60_000;
const callbackPath = '/callback';

export async function visitHost<Result>({ addressOf, finish }: Visit<Result>): Promise<Result> {
  const server = createServer().listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${callbackPath}`;
    const address = addressOf(redirectUri);
    process.stderr.write(`Sign in with your browser at ${address.href}\n`);
    openBrowser(address.href);
    const { query, response } = await receiveBrowser(server, address.searchParams.get('state'));
    const result = finish(new URL(`${redirectUri}?${query}`));
    await result.then(
      () => answer(response, 200, 'You are signed in. You can close this window.'),
      () => answer(response, 400, 'You are not signed in. Your terminal says why.'),
    );
    return await result;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Any web page can send a request to a loopback address, so one with another `state` counts for nothing. */
async function receiveBrowser(server: Server, state: string | null) {
  const signal = AbortSignal.timeout(visitMsMax);
  try {
    for await (const [request, response] of on(server, 'request', { signal }) as Requests) {
      const [path, query] = request.url?.split('?') ?? [];
      if (path === callbackPath && new URLSearchParams(query).get('state') === state)
        return { query, response };
      await answer(response, 404, 'Not found');
    }
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
  throw new GamehostError({ code: 'timeout', message: 'The sign-in took longer than 5 minutes' });
}

type Requests = AsyncIterable<[IncomingMessage, ServerResponse]>;

/** Resolves when the browser has the answer, or has gone. */
async function answer(response: ServerResponse, status: number, text: string): Promise<void> {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  await finished(response.end(text)).catch(() => {});
}

/** Without a shell, which would read signs in the address. The user can open the printed address instead. */
function openBrowser(address: string): void {
  const [program, ...args] = browserCommand();
  spawn(program, [...args, address], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

function browserCommand(): [string, ...string[]] {
  const browser = process.env['BROWSER'];
  if (browser) return [browser];
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
