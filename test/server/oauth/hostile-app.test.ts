/** Anyone can register an app, so a request must not send the user's browser to another site before the user decides. */
import { expect } from 'chai';
import { authorizeUrl, begin, register, registration, sendRequest } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';

const site = 'https://elsewhere.example/callback';
const app = 'com.example.app:/callback';
const device = 'http://127.0.0.1:9/callback';

/** Requests that are refused before the user sees a question. */
const refused: Record<string, [params: Record<string, string>, error: string]> = {
  'asks to sign in without the user': [{ prompt: 'none' }, 'login_required'],
  'leaves out the code challenge': [{ code_challenge: '' }, 'invalid_request'],
  'sends the code verifier in clear': [{ code_challenge_method: 'plain' }, 'invalid_request'],
  'asks for a token in place of a code': [{ response_type: 'token' }, 'invalid_request'],
  'names another resource': [{ resource: 'https://other.example' }, 'invalid_target'],
  'sends a request object': [{ request: 'e30.e30.' }, 'request_not_supported'],
};

describe('a request of a hostile app', () => {
  const service = useService({ hasApps: true });
  let clientId: string;

  before(async () => {
    const metadata = { ...registration, redirect_uris: [site, app, device] };
    clientId = (await register(service, metadata)).body.client_id;
  });

  const authorize = (params: Record<string, string>) =>
    sendRequest(authorizeUrl(service, { clientId, params }, 'verifier'), {
      headers: { Accept: 'text/html' },
    });

  for (const [what, [params, error]] of Object.entries(refused))
    it(`400: shows an error page, redirects nowhere and starts no program when it ${what}`, async () => {
      for (const redirect_uri of [site, app]) {
        const { status, headers, text } = await authorize({ redirect_uri, ...params });
        expect([status, headers.get('Location')]).to.deep.equal([400, null]);
        expect(text).to.include(`<code>${error}</code>`);
        expect(text).not.to.include('example');
      }
    });

  for (const mode of ['form_post', 'fragment', 'web_message', 'jwt'])
    it(`400: is refused when it wants its answer as ${mode}`, async () => {
      for (const redirect_uri of [site, device]) {
        const { status, headers, text } = await authorize({ redirect_uri, response_mode: mode });
        expect([status, headers.get('Location')]).to.deep.equal([400, null]);
        expect(text).not.to.include('callback');
      }
    });

  it("receives its error as a redirect when the answer stays on the user's device", async () => {
    const { status, headers } = await authorize({ redirect_uri: device, prompt: 'none' });
    expect(status).to.equal(303);
    expect(headers.get('Location')).to.include(`${device}?error=login_required`);
  });

  it('leads only to the account page when it is accepted', async () => {
    const { id } = await begin(service, { clientId, params: { redirect_uri: site, response_mode: 'query' } });
    expect(id).to.have.length.above(40);
  });
});
