/** The client's methods: one for each operation of customers, named and typed by the description, and their errors. */
import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { importClient } from '../../support/client.ts';
import { failureOf } from '../../support/failure-of.ts';
import { startFaultyHost } from '../../support/faulty-host.ts';
import { listenLocally } from '../../support/local-server.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { useOwner } from '../../support/use-key.ts';
import { useStarted } from '../../support/use-started.ts';

type Library = Awaited<ReturnType<typeof importClient>>;
type Options = ConstructorParameters<Library['Gamehost']>[0];

const id = 'a1b2c3d4';

describe('the client', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000 });
  const host = useStarted(() => startFaultyHost(service.url));
  const elsewhere = useStarted(() => startFaultyHost());
  let library: Library;

  before(async () => {
    library = await importClient();
    resetPanel(service, [panelServer({ identifier: id })]);
  });
  beforeEach(() => host.answerNext());

  const connect = (options: Options = {}) =>
    new library.Gamehost({ baseUrl: host.url, key: service.key, retries: 0, ...options });

  /** Resolves to the GamehostError of a promise. */
  const errorOf = async (promise: Promise<unknown>) => {
    const failure = await failureOf(promise);
    if (!(failure instanceof library.GamehostError)) throw failure;
    return failure;
  };

  describe('in its methods', () => {
    it("has one for each customer's operation of the served description, in the group of its tag, and no other", async () => {
      const { paths } = (await service.call('GET', '/openapi.json')).body;
      const operations = Object.values<Record<string, DescribedOperation>>(paths).flatMap(Object.values);
      const expected = operations
        .filter((operation) => !operation['x-required-scope']?.startsWith('admin:'))
        .map(({ tags, operationId }) => `${tags[0]?.toLowerCase()}.${operationId}`);
      const offered = Object.entries(connect()).flatMap(([group, methods]) =>
        Object.keys(methods).map((name) => `${group}.${name}`),
      );
      expect(offered).to.have.members(expected);
      expect(offered).to.include.members(['servers.listMyServers', 'account.getMyProfile']);
    });

    it('places the fields of one object in the path, the query and the body', async () => {
      const { files } = connect();
      const at = { server_identifier: id };
      await files.writeServerFile({ ...at, file: '/a b.txt', content: 'two\nlines' });
      const { file } = await files.readServerFile({ ...at, file: '/a b.txt', tail: 1 });
      expect(file.content).to.equal('lines');
      expect(host.received.map(({ path }) => path)).to.deep.equal([
        `/api/v1/servers/${id}/files/content`,
        `/api/v1/servers/${id}/files/content?file=%2Fa+b.txt&tail=1`,
      ]);
    });

    it('sends a write without optional fields', async () => {
      const { backup } = await connect().servers.createServerBackup({ server_identifier: id });
      expect(backup.completed_at).to.equal(null);
    });

    it('changes only the version that was read, with if_match from its ETag', async () => {
      const { webhooks } = connect();
      const { webhook } = await webhooks.createWebhook({ url: 'https://example.com/hook', events: ['*'] });
      const at = { webhook_id: webhook.id };
      let etag = '';
      const onResponse = ({ headers }: Response) => {
        etag = headers.get('ETag') ?? '';
      };
      await webhooks.getWebhook(at, { onResponse });
      await webhooks.changeWebhook({ ...at, description: 'first', if_match: etag });
      const late = await errorOf(webhooks.changeWebhook({ ...at, description: 'second', if_match: etag }));
      expect([late.status, late.code]).to.deep.equal([412, 'precondition_failed']);
    });

    it('works without its object, and reads the address and the key from the environment of Node', async () => {
      Object.assign(process.env, { GAMEHOST_URL: `${host.url}/`, GAMEHOST_KEY: service.key });
      try {
        const { getMyProfile } = new library.Gamehost().account;
        expect((await getMyProfile()).user.email).to.equal(service.user.email);
      } finally {
        delete process.env['GAMEHOST_URL'];
        delete process.env['GAMEHOST_KEY'];
      }
    });

    it('asks for a token before each call, and sends it rather than a key', async () => {
      const tokens = ['first', 'second'];
      const { account } = connect({ token: async () => tokens.shift() ?? '' });
      await errorOf(account.getMyProfile());
      await errorOf(account.getMyProfile());
      expect(host.received.map(({ headers }) => headers.authorization)).to.deep.equal([
        ...['Bearer first', 'Bearer second'],
      ]);
    });
  });

  describe('in its errors', () => {
    it('says what the API says', async () => {
      const error = await errorOf(connect().catalog.getGame({ slug: 'nothing' }));
      const { status, code, message, retryAfterSeconds } = error;
      expect({ status, code, message, retryAfterSeconds }).to.deep.equal({
        ...{ status: 404, code: 'not_found', message: 'Game not found', retryAfterSeconds: null },
      });
      expect(error.requestId).to.match(/^[0-9a-f]{32}$/);
      expect(String(error)).to.equal('GamehostError: Game not found');
    });

    const odd = {
      'a page of a proxy': { status: 500, body: '<html>Oops</html>' },
      'nothing at all': { status: 500 },
      'JSON of something else': { status: 500, body: '{"error":{"code":7,"message":{}}}' },
      'JSON that is no object': { status: 500, body: 'null' },
      'a page instead of JSON': { status: 200, body: '<html>Welcome</html>' },
    };
    for (const [what, answer] of Object.entries(odd))
      it(`has the code unexpected_response for ${what}`, async () => {
        host.answerNext({ ...answer, headers: { 'X-Request-Id': 'r1' } });
        const { status, code, message, requestId } = await errorOf(connect().account.getMyProfile());
        expect([status, code, requestId]).to.deep.equal([answer.status, 'unexpected_response', 'r1']);
        expect(message).to.match(/^127\.0\.0\.1:\d+ answered with status \d+, but not as this API/);
      });

    it('bounds the message of a host, and removes control characters', async () => {
      const message = `\u001b[2J${'x'.repeat(10_000)}`;
      const body = JSON.stringify({ error: { code: 'bad_request', message } });
      host.answerNext({ status: 400, body });
      const error = await errorOf(connect().account.getMyProfile());
      expect(error.message).to.match(/^\[2Jx{1,600}$/);
    });

    it('reads at most 64 MiB of an answer', async () => {
      const part = Buffer.alloc(1024 * 1024);
      let sent = 0;
      const endless = await listenLocally(
        createServer((_, response) => {
          const more = () => {
            while (++sent && response.write(part));
          };
          response.on('drain', more);
          more();
        }),
      );
      const { code } = await errorOf(connect({ baseUrl: endless.url }).account.getMyProfile());
      expect([code, sent < 100]).to.deep.equal(['connection_failed', true]);
      await endless.stop();
    });

    it('refuses a call that would lead to another operation', async () => {
      const { servers } = connect();
      for (const server_identifier of ['', '.', '..', '\ud800', undefined as never]) {
        const { code, message } = await errorOf(servers.getServer({ server_identifier }));
        expect([code, message]).to.deep.equal(['invalid_call', 'getServer needs server_identifier']);
      }
      const { message } = await errorOf(servers.listMyServers({ page: 1 } as never));
      expect(message).to.equal('listMyServers has no field page');
      expect(host.received).to.deep.equal([]);
    });

    it('never contain the credential, and neither does the printed client', async () => {
      const secret = 'gamehost_live_secret';
      host.answerNext({ status: 500 }, 'lost');
      const client = connect({ key: secret });
      const errors = [
        await errorOf(client.account.getMyProfile()),
        await errorOf(client.account.getMyProfile()),
        await errorOf(connect({ key: `${secret}\nnext` }).account.getMyProfile()),
        await errorOf(connect({ baseUrl: 'http://127.0.0.1:1', key: secret }).account.getMyProfile()),
      ];
      expect(errors.map(({ code }) => code)).to.deep.equal([
        ...['unexpected_response', 'connection_failed', 'invalid_call', 'connection_failed'],
      ]);
      const printed = [client, ...errors].map((one) => inspect(one, { depth: 9 }) + JSON.stringify(one));
      expect(printed.join()).not.to.contain(secret);
    });
  });

  describe('with its credential', () => {
    it('sends it over plain HTTP to this machine only', () => {
      const connectTo = (baseUrl: string) => () => connect({ baseUrl });
      const loopback = ['http://localhost:3000', 'http://127.8.0.1', 'http://[::1]:3000'];
      for (const baseUrl of [...loopback, 'https://a.example']) expect(connectTo(baseUrl)).not.to.throw();
      const others = ['http://a.example', 'http://localhost.a.example', 'http://10.0.0.1', 'ftp://localhost'];
      for (const baseUrl of [...others, 'http://127.0.0.1.a.example', 'http://127.0.0.1@a.example'])
        expect(connectTo(baseUrl)).to.throw(library.GamehostError, 'must begin with https://');
      expect(connectTo('a.example')).to.throw(library.GamehostError, 'must be a URL');
      expect(connectTo('')).to.throw(library.GamehostError, 'GAMEHOST_URL');
    });

    it('follows no redirection', async () => {
      elsewhere.answerNext({ status: 200, body: '{}' });
      for (const status of [301, 302, 307, 308]) {
        host.answerNext({ status, headers: { Location: `${elsewhere.url}/api/v1/me` } });
        const error = await errorOf(connect({ retries: 2 }).account.getMyProfile());
        expect([error.status, error.code]).to.deep.equal([status, 'unexpected_response']);
        expect(error.message).to.contain('redirects to another address, which is not followed');
      }
      expect(elsewhere.received).to.deep.equal([]);
    });
  });
});

interface DescribedOperation {
  operationId: string;
  tags: string[];
  'x-required-scope'?: string;
}
