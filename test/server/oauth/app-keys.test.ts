/** Apps whose metadata document names their public keys authenticate at the token endpoint with signed assertions. */
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { expect } from 'chai';
import { allow, begin, exchange, postForm, redirectUri } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';

/** This app may sign its token requests or skip authentication. */
const either = {
  ...{ client_id: 'https://chatgpt.com/oauth/client.json', client_name: 'ChatGPT' },
  ...{ redirect_uris: [redirectUri], jwks_uri: 'https://chatgpt.com/oauth/jwks.json' },
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
  token_endpoint_auth_signing_alg: 'RS256',
};

describe('an app whose metadata document names its keys', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }];
  const { token_endpoint_auth_methods_supported: _, ...keyed } = either;
  const keyedOnly = { ...keyed, client_id: 'https://chatgpt.com/oauth/keyed.json' };
  const served = new Map<string, object>([
    [either.client_id, either],
    [keyedOnly.client_id, keyedOnly],
    [either.jwks_uri, { keys, padding: ' '.repeat(6000) }],
  ]);
  const fetchDocument = async (url: string | URL) => Response.json(served.get(String(url)) ?? null);
  const service = useService({ hasApps: true, fetchDocument });

  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const assertionOf = (clientId: string, key: KeyObject = privateKey) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: clientId, sub: clientId, aud: `${service.url}/oauth/token`, jti: randomUUID() };
    const signed = `${encode({ alg: 'RS256', kid: 'one' })}.${encode({ ...claims, iat: now, exp: now + 60 })}`;
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`,
    };
  };
  /** Exchanges the code that the user allowed, together with this proof of the app. */
  async function exchangeWith({ client_id: clientId }: { client_id: string }, proof: object) {
    const { verifier, ...pending } = await begin(service, { clientId });
    const { params } = await allow(service, pending, await service.addUser());
    return exchange(service, { code: params.get('code') ?? '', verifier, clientId, ...proof });
  }

  for (const document of [either, keyedOnly]) {
    const clientId = document.client_id;
    const what = document === either ? 'a key or nothing' : 'a key alone';

    it(`gets and renews tokens with its signature when its document allows ${what}`, async () => {
      const { status, body } = await exchangeWith(document, assertionOf(clientId));
      expect(status).to.equal(200);
      expect((await service.call('GET', '/me', { key: body.access_token })).status).to.equal(200);
      const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id: clientId };
      const renewed = await postForm(service, '/oauth/token', {
        form: { ...form, ...assertionOf(clientId) },
      });
      expect(renewed.status).to.equal(200);
    });

    it(`401 invalid_client: gets no tokens with a signature by another key when its document allows ${what}`, async () => {
      const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
      const { status, body } = await exchangeWith(document, assertionOf(clientId, other));
      expect([status, body.error]).to.deep.equal([401, 'invalid_client']);
    });
  }

  it('401 invalid_client: gets no tokens with a signature that it used before', async () => {
    const proof = assertionOf(either.client_id);
    expect((await exchangeWith(either, proof)).status).to.equal(200);
    const { status, body } = await exchangeWith(either, proof);
    expect([status, body.error]).to.deep.equal([401, 'invalid_client']);
  });

  const costly = {
    'more keys than an app has': Array.from({ length: 21 }, () => keys[0]),
    'a key with an exponent as long as itself': [{ ...keys[0], e: keys[0]?.n }, keys[0]],
  };
  for (const [what, published] of Object.entries(costly))
    it(`401 invalid_client: gets no tokens when its key address returns ${what}`, async () => {
      const id = `https://chatgpt.com/oauth/${encodeURIComponent(what)}.json`;
      served.set(id, { ...keyed, client_id: id, jwks_uri: `${id}/keys` });
      served.set(`${id}/keys`, { keys: published });
      const { status, body } = await exchangeWith({ client_id: id }, assertionOf(id));
      expect([status, body.error]).to.deep.equal([401, 'invalid_client']);
    });

  it('gets tokens without a signature only when its document allows that', async () => {
    expect((await exchangeWith(either, {})).status).to.equal(200);
    const { status, body } = await exchangeWith(keyedOnly, {});
    expect([status, body.error]).to.deep.equal([401, 'invalid_client']);
  });
});
