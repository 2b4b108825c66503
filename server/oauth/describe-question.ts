/** What the user is asked about an app's request: its name and who vouches for it, where the answer goes, and the scopes. */
import type { OAuthQuestion } from '../../models/oauth/requests.ts';

interface Client {
  clientId: string;
  clientName?: string | undefined;
}

/** @param client known by its registration, or by its document, whose address is then its id */
export function describeQuestion(
  client: Client | undefined,
  { redirect_uri, scope }: Record<string, unknown>,
): OAuthQuestion {
  if (!client) throw new Error('an authorization request without a client');
  const { clientId, clientName: name = 'Unnamed app' } = client;
  const verifiedHost = clientId.startsWith('https://') ? new URL(clientId).host : null;
  return {
    app: { clientId, name, verifiedHost },
    returnsTo: destinationOf(String(redirect_uri)),
    scopes: String(scope).split(' '),
  };
}

function destinationOf(redirect: string): string {
  const { protocol, hostname, host } = new URL(redirect);
  if (protocol === 'http:') return hostname;
  return protocol === 'https:' ? host : `${protocol.slice(0, -1)}:`;
}
