/** An identity provider for tests: a real oidc-provider on this machine, whose ID tokens a test may alter. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientAuthMethod } from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import { openAccount } from './account.ts';
import type { Answer } from './service.ts';

const clientId = 'gamehost';
/** Contains characters that HTTP basic authentication and forms encode, and others that they do not. */
const clientSecret = 'a secret: 100% + of_the-provider.and & the service';

/** Claims of the ID token, changed and signed again. */
type Alter = (claims: Record<string, unknown>) => Record<string, unknown>;

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** The account that signs in without a prompt, with the claims that the provider states. */
interface Account {
  sub: string;
  [claim: string]: unknown;
}

interface StartOptions {
  /** Whether the ID token has the e-mail address; otherwise only userinfo has it, as in the standard. */
  hasClaimsInToken?: boolean;
  /** How clients may send their secrets, for its metadata. */
  authMethods?: ClientAuthMethod[];
}

export async function startIdentityProvider({ hasClaimsInToken = false, authMethods }: StartOptions = {}) {
  const server = createServer((_req, res) => void res.writeHead(503).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const key = newKey();
  const at = {
    account: { sub: 'nobody' } as Account,
    alter: null as Alter | null,
    signingKey: key,
    /** Overrides parts of its metadata. */
    metadata: {} as object,
    /** Calls of its token endpoint, the secret of the last one's header, and what each waits for. */
    exchanges: 0,
    authorization: '',
    held: Promise.resolve(),
  };
  return {
    issuer,
    at,
    foreignKey: newKey,
    settings: { issuer, clientId, clientSecret, name: 'Example ID', createsUsers: false, isStrong: false },
    /** Registers the service, whose address is known by now. */
    serve(serviceUrl: string) {
      const provider = createProvider({
        issuer,
        key,
        serviceUrl,
        hasClaimsInToken,
        authMethods,
        account: () => at.account,
      });
      provider.use(async (ctx, next) => {
        const uid = /^\/interaction\/([\w-]+)$/.exec(ctx.path)?.[1];
        if (uid)
          return provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: at.account.sub } });
        if (ctx.path === '/token') {
          at.exchanges += 1;
          at.authorization = ctx.get('authorization');
          await at.held;
        }
        await next();
        if (ctx.path === '/.well-known/openid-configuration')
          ctx.body = { ...(ctx.body as object), ...at.metadata };
        const body = ctx.body as { id_token?: string } | undefined;
        if (ctx.path === '/token' && at.alter && body?.id_token)
          ctx.body = { ...body, id_token: alterToken(body.id_token, at.alter, at.signingKey) };
      });
      server.removeAllListeners('request').on('request', provider.callback());
    },
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface ProviderOptions {
  issuer: string;
  key: KeyObject;
  serviceUrl: string;
  hasClaimsInToken: boolean;
  authMethods: ClientAuthMethod[] | undefined;
  account: () => Account;
}

function createProvider({
  issuer,
  key,
  serviceUrl,
  hasClaimsInToken,
  authMethods = ['client_secret_basic', 'client_secret_post'],
  account,
}: ProviderOptions): Provider {
  return new Provider(issuer, {
    adapter: createMemoryAdapter(),
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        token_endpoint_auth_method: authMethods[0] as ClientAuthMethod, // never empty
        redirect_uris: [`${serviceUrl}/account/callback`],
        post_logout_redirect_uris: [`${serviceUrl}/account`],
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'nickname'],
    },
    clientAuthMethods: authMethods,
    conformIdTokenClaims: !hasClaimsInToken,
    cookies: { keys: ['a key for cookies'] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        logoutSource: (ctx, form) => {
          ctx.body = `${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`;
        },
      },
    },
    // Two tabs that sign in at once each begin a browser session, and only one stays.
    expiresWithSession: () => false,
    findAccount: async (_ctx, sub) => ({ accountId: sub, claims: async () => ({ ...account(), sub }) }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'test' }] },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    pkce: { required: () => true },
    ttl: { AccessToken: 3600, Grant: 3600, IdToken: 3600, Interaction: 3600, Session: 3600 },
  });
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function alterToken(token: string, alter: Alter, key: KeyObject): string {
  const [header = '', payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const signed = `${header}.${encode(alter(claims))}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), createPrivateKey(key.export({ format: 'pem', type: 'pkcs8' }))).toString('base64url')}`;
}

/** Follows the provider's redirects like a browser, up to the service's address; resolves to that address's query. */
export async function signInAtProvider(url: string, serviceUrl: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let next = url; ; ) {
    if (next.startsWith(serviceUrl)) return new URL(next).search;
    const headers = { Cookie: [...cookies].map((pair) => pair.join('=')).join('; ') };
    const answer = await fetch(next, { redirect: 'manual', headers });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('Location');
    if (!location) throw new Error(`the provider answers ${answer.status}: ${await answer.text()}`);
    next = new URL(location, next).href;
  }
}

/** A complete sign-in: the button, the provider, and the redirect. */
export async function signInOnce(
  { url: serviceUrl }: { url: string },
  account = openAccount(serviceUrl),
): Promise<Answer> {
  const { url } = await account.api.session.startSingleSignOn.mutate();
  const query = await signInAtProvider(url, serviceUrl);
  return account.call('session.finishSingleSignOn', { query });
}
