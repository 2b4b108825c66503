/** Every row of the table of panel failures, for both calls: a 502 in our words, the cause for the log only. */
import { expect } from 'chai';
import { PanelFailure } from '../../../server/panel/failures.ts';
import { type Behaviour, errorEnvelope } from '../../support/stand-in-panel.ts';
import { type PanelTest, refusalOf, startPanelTest } from './start.ts';

interface Row {
  name: string;
  behaviour: Behaviour;
  message: string;
  powerMessage?: string;
  alertsOperator?: boolean;
}

const upstreamDetail = 'SQLSTATE at panel-internal.example';

const envelope = (status: number, code: string, detail = upstreamDetail) => ({
  name: `${status} ${code}${detail === upstreamDetail ? '' : ` (${detail})`}`,
  behaviour: { status, body: errorEnvelope(status, code, detail) },
});

const credentials = {
  message: 'The panel refused the credentials of this service; its operator has been alerted',
  alertsOperator: true,
};
const node = { message: 'The machine that hosts the server did not carry out the request; try again later' };
const failed = {
  message: 'The panel failed; try again later',
  powerMessage: 'The panel failed; the signal may or may not have been carried out',
};
const unreadable = {
  message: 'The panel gave an answer that could not be understood',
  powerMessage:
    'The panel gave an answer that could not be understood; the signal may or may not have been carried out',
};
const refused = (reason: string) => ({ message: `${reason}, so the panel refused the signal` });

const rows: Row[] = [
  { ...envelope(401, 'AuthenticationException'), ...credentials },
  { ...envelope(403, 'AccessDeniedHttpException'), ...credentials },
  ...[400, 403, 404, 500, 504].map((status) => ({
    ...envelope(status, 'DaemonConnectionException'),
    ...node,
  })),
  {
    ...envelope(
      409,
      'ServerStateConflictException',
      'This server is currently suspended and the functionality …',
    ),
    ...refused('The server is suspended'),
  },
  {
    ...envelope(
      409,
      'ServerStateConflictException',
      'The node of this server is currently under maintenance and …',
    ),
    ...refused('The machine that hosts the server is under maintenance'),
  },
  {
    ...envelope(
      409,
      'ServerStateConflictException',
      'This server has not yet completed its installation process, …',
    ),
    ...refused('The server has not finished its installation'),
  },
  {
    ...envelope(409, 'ServerStateConflictException', 'This server is currently restoring from a backup, …'),
    ...refused('The server is being restored from a backup'),
  },
  {
    ...envelope(
      409,
      'ServerStateConflictException',
      'This server is currently being transferred to a new machine, …',
    ),
    ...refused('The server is being moved to another machine'),
  },
  {
    ...envelope(409, 'ServerStateConflictException'),
    message: 'The panel refused the signal in the present state of the server',
  },
  { ...envelope(422, 'ValidationException'), message: 'The panel did not accept the request' },
  { ...envelope(429, 'ThrottleRequestsException'), message: 'The panel is busy; try again later' },
  { ...envelope(500, 'QueryException'), ...failed },
  { name: '500 HTML', behaviour: { status: 500, body: '<h1>Whoops</h1>' }, ...failed },
  { name: '502 from a proxy', behaviour: { status: 502, body: '<h1>Bad gateway</h1>' }, ...failed },
  { name: '503 empty', behaviour: { status: 503 }, ...failed },
  { name: '404 HTML', behaviour: { status: 404, body: '<h1>Not found</h1>' }, ...unreadable },
  { name: '404 of another kind', behaviour: { status: 404, body: { errors: [] } }, ...unreadable },
  { name: '200 HTML', behaviour: { status: 200, body: '<h1>Welcome</h1>' }, ...unreadable },
  { name: '200 empty', behaviour: { status: 200 }, ...unreadable },
  { name: '200 bad JSON', behaviour: { status: 200, body: '{"object":' }, ...unreadable },
  { name: '200 JSON of another shape', behaviour: { status: 200, body: { object: 'user' } }, ...unreadable },
  { name: '302', behaviour: { status: 302, headers: { Location: '/auth/login' } }, ...unreadable },
  {
    name: 'a reset connection',
    behaviour: 'reset',
    message: 'The connection to the panel was lost; try again later',
    powerMessage: 'The connection to the panel was lost; the signal may or may not have been carried out',
  },
];

describe('the panel client: when the panel fails', () => {
  let test: PanelTest;
  beforeEach(async () => {
    test = await startPanelTest();
  });
  afterEach(() => test.stop());

  async function assertRefused(call: Promise<unknown>, message: string) {
    const refusal = await refusalOf(call);
    expect({ apiCode: refusal.apiCode, status: refusal.status, message: refusal.message }).to.deep.equal({
      apiCode: 'upstream_error',
      status: 502,
      message,
    });
    expect(refusal.cause).to.be.instanceOf(PanelFailure);
    return refusal;
  }

  for (const { name, behaviour, message, powerMessage = message, alertsOperator = false } of rows) {
    it(`502 upstream_error for a list: ${name}`, async () => {
      test.standIn.respondWith(behaviour);
      await assertRefused(test.list(), message);
      expect(test.logged.some(({ level }) => level === 'error')).to.equal(alertsOperator);
    });

    it(`502 upstream_error for a signal: ${name}`, async () => {
      test.standIn.respondWith(behaviour);
      await assertRefused(test.power(), powerMessage);
      expect(test.logged.some(({ level }) => level === 'error')).to.equal(alertsOperator);
    });
  }

  it('502 upstream_error: no answer in time', async () => {
    await test.stop();
    test = await startPanelTest({ readTimeoutMs: 50, powerTimeoutMs: 50 });
    test.standIn.respondWith('hang');
    await assertRefused(test.list(), 'The panel did not answer in time; try again later');
    await assertRefused(
      test.power(),
      'The panel did not answer in time; the signal may or may not have been carried out',
    );
    expect(test.standIn.requests).to.have.lengthOf(2);
  });

  it('502 upstream_error: nobody listens at the address', async () => {
    await test.standIn.stop();
    await assertRefused(test.list(), 'The panel could not be reached; try again later');
    await assertRefused(test.power(), 'The panel could not be reached; try again later');
  });

  it('502 upstream_error: the application key may not read servers', async () => {
    const servers = { object: 'null_resource', attributes: null };
    test.standIn.respondWith({ body: { object: 'user', attributes: { id: 7, relationships: { servers } } } });
    await assertRefused(test.list(), credentials.message);
    expect(test.logged).to.have.lengthOf(1);
  });

  it('502 upstream_error: one server of the list lacks what identifies it', async () => {
    test.standIn.servers.get(7)?.push({ ...test.standIn.servers.get(7)?.[0], uuid: null } as never);
    await assertRefused(test.list(), unreadable.message);
  });

  it('does not follow a redirect, not even to a place that would answer', async () => {
    const Location = `${test.standIn.url}/api/application/users/7?include=servers`;
    test.standIn.respondNext({ status: 302, headers: { Location } }, { status: 307, headers: { Location } });
    await assertRefused(test.list(), unreadable.message);
    await assertRefused(test.power(), unreadable.powerMessage);
    expect(test.standIn.requests).to.have.lengthOf(2);
  });

  it('reads no more of a huge answer than its bound', async () => {
    await test.stop();
    test = await startPanelTest({ answerBytesMax: 100_000 });
    test.standIn.respondNext({ body: Buffer.alloc(50_000_000, ' ') });
    const { cause } = await assertRefused(test.list(), unreadable.message);
    expect((cause as PanelFailure).details).to.deep.equal({ reason: 'the answer is too long' });
  });

  it('asks for no compression, and does not unpack it', async () => {
    const gzipped = {
      status: 200,
      headers: { 'Content-Encoding': 'gzip' },
      body: Buffer.from('not gzip at all'),
    };
    test.standIn.respondNext(gzipped);
    await assertRefused(test.list(), unreadable.message);
    expect(test.standIn.requests[0]?.headers['accept-encoding']).to.equal('identity');
  });

  it('keeps for the log what the panel said, cut short', async () => {
    test.standIn.failWith(500, 'QueryException', { detail: 'x'.repeat(10_000) });
    const { cause } = await assertRefused(test.list(), failed.message);
    expect((cause as PanelFailure).details).to.deep.equal({
      status: 500,
      upstreamCode: 'QueryException',
      upstreamDetail: 'x'.repeat(300),
    });
  });
});
