/** Access to /mcp: keys, origins and refusals. */
import { expect } from 'chai';
import { generateSecret } from '../../models/api-key/secret.ts';
import { expectError, expectMcpError } from '../support/expect-error.ts';
import { createSendMessage, legacyRequest, type SendMessage } from '../support/mcp.ts';
import { startTestService } from '../support/service.ts';
import { useCustomer } from '../support/use-key.ts';

const missing = 'API key missing: send it as "Authorization: Bearer <API_KEY>" or "X-API-Key: <API_KEY>"';
const ping = legacyRequest('ping');

describe('the endpoint /mcp', () => {
  const service = useCustomer({ config: { corsOrigins: ['https://app.example.com'] } });
  let send: SendMessage;

  before(async () => {
    send = createSendMessage(service.url);
  });

  const fetchMcp = async (method: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${service.url}/mcp`, { method, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  };

  it('answers 401 unauthorized without a key, with a challenge that names no authorization server', async () => {
    const answer = await send(ping);
    expectMcpError(answer, 'unauthorized', missing);
    expect(answer.headers.get('WWW-Authenticate')).to.equal('Bearer');
  });

  it('answers 401 unauthorized to an unknown key, for tool calls and protocol messages', async () => {
    const call = legacyRequest('tools/call', { name: 'get_my_profile' });
    for (const message of [ping, legacyRequest('initialize'), call, 'not JSON']) {
      const answer = await send(message, { key: generateSecret() });
      expectMcpError(answer, 'unauthorized', 'API key unknown');
      expect(answer.headers.get('WWW-Authenticate')).to.equal('Bearer error="invalid_token"');
    }
  });

  it('answers 405 method_not_allowed to opening a stream or ending a session', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      expectMcpError(await fetchMcp(method), 'unauthorized', missing);
      const answer = await fetchMcp(method, { Authorization: `Bearer ${service.key}` });
      expectError(answer, 'method_not_allowed', `${method} is not offered here; use POST`);
      expect(answer.headers.get('Allow')).to.equal('POST, OPTIONS');
    }
  });

  it('answers 204 to OPTIONS without a key, with the offered methods', async () => {
    const answer = await fetchMcp('OPTIONS');
    expect([answer.status, answer.headers.get('Allow')]).to.deep.equal([204, 'POST, OPTIONS']);
  });

  it('answers 403 forbidden_origin to a page of another origin, even with a key', async () => {
    for (const Origin of ['https://evil.example.com', 'http://localhost.example.com', 'null', 'nonsense']) {
      const answer = await send(ping, { key: service.key, headers: { Origin } });
      expectMcpError(answer, 'forbidden_origin', 'Pages of this origin are not allowed; see CORS_ORIGINS');
    }
  });

  it("is open to a page of a configured origin, with the protocol's headers", async () => {
    const Origin = 'https://app.example.com';
    const answer = await send(ping, { key: service.key, headers: { Origin } });
    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).to.deep.equal([200, Origin]);
    const preflight = await fetchMcp('OPTIONS', { Origin, 'Access-Control-Request-Method': 'POST' });
    const allowed = preflight.headers.get('Access-Control-Allow-Headers')?.split(',');
    expect(allowed).to.include.members(['Authorization', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name']);
  });

  it('is open to a page from this machine while the service has no public address', async () => {
    for (const Origin of ['http://localhost:6274', 'http://127.0.0.1:3000', 'http://[::1]:3000'])
      expect((await send(ping, { key: service.key, headers: { Origin } })).status).to.equal(200);
  });

  it('answers 403 to pages of other origins once there is a public address', async () => {
    const published = await startTestService({ config: { publicUrl: 'https://api.example.com' } });
    const { secret } = await published.addKey();
    const statusFor = async (Origin: string) =>
      (await createSendMessage(published.url)(ping, { key: secret, headers: { Origin } })).status;
    expect(await statusFor('https://api.example.com')).to.equal(200);
    expect(await statusFor('http://api.example.com')).to.equal(403);
    expect(await statusFor('http://localhost:3000')).to.equal(403);
    await published.stop();
  });

  it('answers 404 to the discovery of an authorization server and says what to do', async () => {
    const paths = [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/register',
    ];
    for (const path of paths) {
      const response = await fetch(service.url + path);
      expectError(
        { ...response, status: response.status, headers: response.headers, body: await response.json() },
        'not_found',
        'Page not found: there is no sign-in by OAuth. Send an API key as "Authorization: Bearer <API_KEY>"; keys are created at /account',
      );
      expect(response.headers.has('WWW-Authenticate')).to.equal(false);
    }
  });

  it('answers 413 payload_too_large to a message over the size limit', async () => {
    const answer = await send({ ...ping, params: { padding: 'x'.repeat(2_100_000) } }, { key: service.key });
    expectError(answer, 'payload_too_large', 'The body must be at most 2097152 bytes');
  });
});
