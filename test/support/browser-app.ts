/** The state of an app with a local address while its user is in the browser: registration, tokens, and redirect. */
import { createServer } from 'node:http';
import { listenLocally } from './local-server.ts';

interface Saved {
  information?: unknown;
  tokens?: unknown;
  verifier?: string;
  discovery?: unknown;
}

/**
 * The provider that the MCP SDK takes.
 * @param open opens an address in the user's browser
 */
export async function startBrowserApp(open: (url: string) => Promise<unknown>, scope?: string) {
  const saved: Saved = {};
  const arrivals: URL[] = [];
  const server = createServer((req, res) => {
    arrivals.push(new URL(req.url ?? '/', redirectUrl));
    res.end('You may close this page.');
  });
  const { url, stop } = await listenLocally(server);
  const redirectUrl = `${url}/callback`;
  return {
    redirectUrl,
    /** The redirect's parameters. */
    arrived: () =>
      arrivals.findLast(({ pathname }) => pathname === '/callback')?.searchParams ?? new URLSearchParams(),
    clientMetadata: {
      client_name: 'Test agent',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope !== undefined && { scope }),
    },
    clientInformation: () => saved.information as never,
    saveClientInformation: (information: unknown) => void Object.assign(saved, { information }),
    tokens: () => saved.tokens as never,
    saveTokens: (tokens: unknown) => void Object.assign(saved, { tokens }),
    saveCodeVerifier: (verifier: string) => void Object.assign(saved, { verifier }),
    codeVerifier: () => saved.verifier ?? '',
    saveDiscoveryState: (discovery: unknown) => void Object.assign(saved, { discovery }),
    discoveryState: () => saved.discovery as never,
    redirectToAuthorization: async (url: URL) => void (await open(url.href)),
    stop,
  };
}
