/** MongoDB refuses to serve a call: the caller gets a 503 that says whether a write may have happened. */
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { createSendMessage, toolCall, toolErrorOf } from '../support/mcp.ts';
import { authorizeUrl, postForm, register, sendRequest } from '../support/oauth-app.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { TestReplicaSet } from '../support/replica-set.ts';
import { type Answer, startTestService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

const overloaded = ['SystemOverloadedError', 'RetryableError'];
const outages = [
  { what: 'rate of requests (462)', errorCode: 462, errorLabels: overloaded, state: 'is busy' },
  { what: 'rate of connections (463)', errorCode: 463, errorLabels: overloaded, state: 'is busy' },
  { what: 'overload by its label alone', errorCode: 8, errorLabels: overloaded, state: 'is busy' },
  { what: 'not primary (10107)', errorCode: 10_107, state: 'cannot be reached' },
  { what: 'no secondary reads (13435)', errorCode: 13_435, state: 'cannot be reached' },
  { what: 'stepped down (189)', errorCode: 189, state: 'cannot be reached' },
  { what: 'interrupted by an election (11602)', errorCode: 11_602, state: 'cannot be reached' },
  { what: 'time limit (262)', errorCode: 262, state: 'cannot be reached' },
  { what: 'operation interrupted (11601)', errorCode: 11_601, state: 'is busy' },
  { what: 'full disk (14031)', errorCode: 14_031, state: 'is busy' },
];

const mayBeDone =
  'a write may have happened anyway: retry in 1 s with the same Idempotency-Key, or look first';

describe('a service while MongoDB fails', () => {
  const set = useStarted(() => TestReplicaSet.start({ members: 1 }));
  const service = useStarted(() =>
    startTestService({
      ...{ databaseUri: `${set.uri}&socketTimeoutMS=1000`, hasApps: true },
      rateLimitPerMinute: 1_000_000,
    }),
  );
  let key: string;

  before(async () => {
    const user = await service.addUser({ isAdmin: true, panelUserId: 7 });
    ({ secret: key } = await service.addKey({ user }));
    service.panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]);
  });
  afterEach(() => set.failCommands(null));

  const of = (collection: string) => `${service.connection.name}.${collection}`;
  const open = () =>
    service.call('POST', '/tickets', { key, body: { title: 'Lag', message: 'Since noon.' } });
  const expectOverloaded = (answer: Answer, message: string) => {
    expectError(answer, 'overloaded', message);
    expect(answer.headers.get('Retry-After')).to.equal('1');
  };

  for (const { what, state, ...failure } of outages)
    describe(what, () => {
      it('answers a read with 503 and says that it can be sent again', async () => {
        await set.failCommands({ failCommands: ['find', 'aggregate'], namespace: of('tickets'), ...failure });
        const answer = await service.call('GET', '/tickets', { key });
        expectOverloaded(answer, `The database ${state}; retry in 1 s`);
      });

      it('answers each of several writes in one command with 503 and says that it may have happened', async () => {
        await set.failCommands({ failCommands: ['insert'], namespace: of('tickets'), ...failure });
        for (const answer of await Promise.all([open(), open(), open(), open()]))
          expectOverloaded(answer, `The database ${state}; ${mayBeDone}`);
      });

      it('answers replies with 503 and says that they may have been stored', async () => {
        const { id } = (await open()).body.ticket;
        await set.failCommands({ failCommands: ['update'], namespace: of('tickets'), ...failure });
        const reply = () =>
          service.call('POST', `/tickets/${id}/reply`, { key, body: { message: 'Still.' } });
        for (const answer of await Promise.all([reply(), reply(), reply(), reply()]))
          expectOverloaded(answer, `The database ${state}; ${mayBeDone}`);
      });

      it('answers a write in a transaction with 503 and says that it may have happened', async () => {
        const { body } = await open();
        await set.failCommands({ failCommands: ['update', 'findAndModify'], ...failure });
        const answer = await service.call('POST', `/tickets/${body.ticket.id}/close`, { key });
        expectOverloaded(answer, `The database ${state}; ${mayBeDone}`);
      });
    });

  it('answers 503 and says that nothing was done if MongoDB wrote nothing', async () => {
    const errorLabels = [...overloaded, 'NoWritesPerformed'];
    await set.failCommands({
      failCommands: ['insert'],
      namespace: of('tickets'),
      errorCode: 462,
      errorLabels,
    });
    expectOverloaded(await open(), 'The database is busy; nothing was done, retry in 1 s');
  });

  it('answers 503 to a write that no majority confirms in time', async () => {
    const writeConcernError = { code: 64, errmsg: 'waiting for replication timed out' };
    await set.failCommands({ failCommands: ['insert'], namespace: of('tickets'), writeConcernError });
    for (const answer of await Promise.all([open(), open(), open(), open()]))
      expectOverloaded(answer, `The database cannot be reached; ${mayBeDone}`);
  });

  it('answers 503 to a write whose reply is lost twice', async () => {
    await set.failCommands({ failCommands: ['insert'], namespace: of('tickets'), closeConnection: true });
    for (const answer of await Promise.all([open(), open(), open(), open()]))
      expectOverloaded(answer, `The database cannot be reached; ${mayBeDone}`);
  });

  it('answers 503 to a write that exceeds the time limit of a call', async () => {
    const slow = { blockConnection: true, blockTimeMS: 3000 };
    await set.failCommands({ failCommands: ['insert'], namespace: of('tickets'), ...slow });
    expectOverloaded(await open(), `The database cannot be reached; ${mayBeDone}`);
  });

  for (const [what, skip, failure] of [
    ['taken', 1, { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } }],
    ['given back', 2, { errorCode: 10_107 }],
  ] as const)
    it(`lets another caller write a file soon after one whose lock was not confirmed to be ${what}`, async () => {
      const write = (content: string) => {
        const body = { file: '/motd.txt', content };
        return service.call('PUT', '/servers/a1b2c3d4/files/content', { key, body });
      };
      const failing = { failCommands: ['update'], namespace: of('file_leases'), ...failure };
      await set.failCommands(failing, { skip });
      expect((await write('One')).status).to.equal(what === 'taken' ? 503 : 200);
      await set.failCommands(null);
      await eventually(async () => expect((await write('Two')).status).to.equal(200), 10_000);
    });

  it('answers 503 in every protocol', async () => {
    await set.failCommands({
      failCommands: ['find', 'aggregate'],
      namespace: of('tickets'),
      errorCode: 10_107,
    });
    const message = 'The database cannot be reached; retry in 1 s';
    const query = await service.callAt('GET', '/trpc/tickets.list', { key });
    expect([query.status, query.headers.get('Retry-After')]).to.deep.equal([503, '1']);
    expect(query.body.error.message).to.equal(message);
    const tool = await createSendMessage(service.url)(toolCall('list_my_tickets'), { key });
    expect(toolErrorOf(tool).error).to.include({ code: 'overloaded', message });
  });

  it('makes a command exit with 1 and say that it may have been carried out', async () => {
    await set.failCommands({ failCommands: ['update'], namespace: of('api_keys'), errorCode: 14_031 });
    const options = { env: { MONGODB_URI: set.uri } };
    const { code, stderr } = await runCli(['key', 'revoke', 'none'], options);
    expect([code, stderr.split(': ', 2).join(': ')]).to.deep.equal([
      1,
      'error: MongoDB could not serve the command, which may have been carried out anyway',
    ]);
  });

  it('answers 503 within 25 s if the commit of a transaction is never confirmed', async function within() {
    this.timeout(25_000);
    const { body } = await open();
    await set.failCommands({ failCommands: ['commitTransaction'], closeConnection: true });
    const answer = await service.call('POST', `/tickets/${body.ticket.id}/close`, { key });
    expectOverloaded(answer, `The database cannot be reached; ${mayBeDone}`);
    // The transaction would hold its locks for a minute, and its last lost connection may be clearing the pool.
    await eventually(() => service.connection.getClient().db('admin').command({ killAllSessions: [] }));
  });

  describe('at the authorization server', () => {
    const failing = { errorCode: 10_107, failCommands: ['find', 'update'] };
    const expectUnavailable = ({ status, headers, body }: Answer) => {
      expect([status, headers.get('Retry-After')]).to.deep.equal([503, '1']);
      expect(body.error).to.equal('temporarily_unavailable');
    };

    it('answers a registration with 503 temporarily_unavailable', async () => {
      await set.failCommands({ ...failing, namespace: of('oauth_clients') });
      expectUnavailable(await register(service));
    });

    it('answers requests for tokens and for authorization with 503 temporarily_unavailable', async () => {
      const { client_id } = (await register(service)).body;
      await set.failCommands({ ...failing, namespace: of('oauth_clients') });
      const form = { grant_type: 'refresh_token', refresh_token: 'none', client_id };
      expectUnavailable(await postForm(service, '/oauth/token', { form }));
      expectUnavailable(await sendRequest(authorizeUrl(service, { clientId: client_id }, 'verifier')));
    });

    it('shows browsers a page with 503', async () => {
      const { client_id } = (await register(service)).body;
      await set.failCommands({ ...failing, namespace: of('oauth_requests') });
      const url = authorizeUrl(service, { clientId: client_id }, 'verifier');
      const page = await sendRequest(url, { headers: { Accept: 'text/html' } });
      expect([page.status, page.headers.get('Retry-After')]).to.deep.equal([503, '1']);
      expect(page.text).to.include('The app could not be connected');
    });
  });
});
