/** Changes of how a server starts that fail at each of their panel calls: nothing half-made stays, or the message says so. */
import { expect } from 'chai';
import { type PanelAnswer, refusal } from '../../server/panel/demo/answers.ts';
import { eventually } from '../support/eventually.ts';
import { panelServer, panelStartup } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import type { Behaviour } from '../support/stand-in-panel.ts';
import { useOwner } from '../support/use-key.ts';

const [id, other] = ['a1b2c3d4', 'b2c3d4e5'];
const otherUuid = '5bf7a6c2-12f2-4b0a-9a58-3f6ad0ad2d51';
const path = `/servers/${id}/startup`;
const change = {
  variables: { SERVER_JARFILE: 'paper.jar', LEVEL_SEED: 'seed', MAX_PLAYERS: '10' },
  image: 'ghcr.io/images/java:21',
};
const proper: Behaviour = { after: Promise.resolve() };
const failed: PanelAnswer = refusal(500, 'HttpException');
const kinds: [what: string, failure: Behaviour, status: number][] = [
  ['is refused', refusal(422, 'ValidationException'), 400],
  ['fails', failed, 502],
  ['is done without a usable answer', { insteadOfDone: failed }, 502],
  ['breaks the connection', 'reset', 502],
];
function createHold() {
  let release = () => {};
  const end = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { end, release };
}

/** A change first reads the server and its startup. */
const reads = [proper, proper];

describe('a change of how a server starts', () => {
  const service = useOwner({
    rateLimitPerMinute: 1_000_000,
    panel: {
      failureThreshold: 3,
      retryDelayMs: 1,
      startupWaitMs: 1_500,
      putBackMs: 1_000,
      callsPerCustomer: 30,
    },
  });

  const send = (body: object = change, headers = {}) =>
    service.call('PATCH', path, { key: service.key, body, headers });
  const stored = () => ({
    image: service.panel.servers.get(7)?.[0]?.container.image,
    ...Object.fromEntries(
      (service.panel.startups.get(id)?.variables ?? []).map((each) => [each.env_variable, each.server_value]),
    ),
  });
  const before = {
    ...Object.fromEntries(panelStartup().variables.map((each) => [each.env_variable, each.server_value])),
    image: 'ghcr.io/images/java:17',
    // The panel cannot unset a variable: it has its default as its value.
    LEVEL_SEED: '',
  };

  beforeEach(async () => {
    resetPanel(service, [panelServer({ identifier: id })]);
    service.panel.startups.set(id, panelStartup());
    // Fills the cache of the list of servers.
    await service.call('GET', `/servers/${id}`, { key: service.key });
    service.panel.forget();
  });

  for (const [what, failure, status] of kinds)
    for (const [at, step] of ['the first variable', 'the second', 'the third', 'the image'].entries())
      it(`puts back all that was written when the call for ${step} ${what} (${status})`, async () => {
        service.panel.respondNext(...reads, ...Array<Behaviour>(at).fill(proper), failure);
        const answer = await send();
        expect(answer.status).to.equal(status);
        expect(answer.body.error.message).to.match(/; nothing was changed$/);
        expect({ ...stored(), LEVEL_SEED: '' }).to.deep.equal(before);
        expect((await send()).status).to.equal(200);
      });

  it('names the variable that the panel refuses (400)', async () => {
    service.panel.respondNext(...reads, proper, refusal(422, 'ValidationException', 'Upstream text.'));
    const { body } = await send();
    expect(body.error.message).to.equal(
      'variables.LEVEL_SEED must have a value that the panel accepts; nothing was changed',
    );
  });

  it('says that only the host can change an image that an administrator set meanwhile (409)', async () => {
    service.panel.respondNext(...reads, refusal(400, 'BadRequestHttpException'));
    const { status, body } = await send({ image: change.image });
    expect(status).to.equal(409);
    expect(body.error.message).to.match(
      /^An administrator set the server's image: only the host can change it/,
    );
  });

  it('keeps the value out of the log when the panel repeats it in its error', async () => {
    for (const [status, code] of [
      [422, 'ValidationException'],
      [429, 'ThrottleRequestsException'],
      [500, 'QueryException'],
    ] as const) {
      service.panel.respondAbout('startup/variable', refusal(status, code, 'set value = told-by-panel'));
      await send({ variables: { PASSWORD: 'told-by-panel' } });
      service.clock.advance(60_000);
    }
    expect(service.logLines.join('')).to.include('QueryException').and.to.not.include('told-by-panel');
  });

  it('names what may have stayed when putting back fails, and puts back the rest (502)', async () => {
    service.panel.respondNext(...reads, proper, proper, failed, proper, failed, proper);
    const { status, body } = await send();
    expect(status).to.equal(502);
    expect(body.error.message).to.match(/; variables\.LEVEL_SEED may have stayed changed$/);
    expect(stored()).to.include({ SERVER_JARFILE: 'server.jar', LEVEL_SEED: 'seed', MAX_PLAYERS: '20' });
  });

  it('names what may have stayed when the panel may still carry out the call that was put back (502)', async () => {
    const { end, release } = createHold();
    service.panel.respondNext(...reads, proper, { after: end });
    const { status, body } = await send();
    expect([status, body.error.message]).to.deep.equal([
      502,
      'The panel did not answer in time; try again later; variables.LEVEL_SEED may have stayed changed',
    ]);
    expect(stored()).to.include({ SERVER_JARFILE: 'server.jar' });
    release();
    await eventually(async () => expect(stored()).to.include({ LEVEL_SEED: 'seed' }));
  });

  it('names what may have stayed when putting back takes too long, and still puts it back (502)', async () => {
    const { end, release } = createHold();
    service.panel.respondNext(...reads, proper, refusal(422, 'ValidationException'), { after: end });
    const { status, body } = await send();
    expect(status).to.equal(400);
    expect(body.error.message).to.match(/; variables\.SERVER_JARFILE may have stayed changed$/);
    release();
    await eventually(async () => expect(stored()).to.include({ SERVER_JARFILE: 'server.jar' }));
  });

  it('sends nothing that still waits for its turn when the change gives up (502)', async () => {
    const [reading, others] = [createHold(), createHold()];
    const call = (rest: string) => service.call('GET', `/servers/${rest}`, { key: service.key });
    service.panel.servers.get(7)?.push(panelServer({ identifier: other, uuid: otherUuid, id: 2 }));
    service.clock.advance(60_000);
    await call(other);
    service.panel.respondAbout(other, { after: others.end });
    service.panel.respondNext(proper, { after: reading.end });
    const answer = send({ variables: { LEVEL_SEED: 'seed' } });
    const inProgress = (part: string) =>
      eventually(async () => expect(service.panel.inProgress().join()).to.include(part));
    await inProgress('startup');
    // The customer has two calls at a time: one takes the second place, the other that of the change.
    const asked = [call(`${other}/backups`)];
    await inProgress(other);
    asked.push(call(`${other}/resources`));
    await call(id);
    reading.release();
    expect((await answer).status).to.equal(502);
    others.release();
    await Promise.all(asked);
    await call(`${other}/backups`);
    expect(stored()).to.include({ LEVEL_SEED: '' });
  });

  it('is put back at once although the panel asks to wait (502)', async () => {
    const wait = { headers: { 'Retry-After': '600' } };
    const throttled = { ...refusal(429, 'ThrottleRequestsException'), ...wait };
    service.panel.respondNext(...reads, proper, throttled);
    const { status, body } = await send();
    expect(status).to.equal(502);
    expect(body.error.message).to.match(/; nothing was changed$/);
    expect(stored()).to.include({ SERVER_JARFILE: 'server.jar' });
  });

  it('needs room in the minute of its customer for its first call only', async () => {
    const body = { signal: 'start' };
    const signal = async () =>
      (await service.call('POST', `/servers/${id}/power`, { key: service.key, body })).status;
    let room = 0;
    while ((await signal()) === 202) room += 1;
    service.clock.advance(61_000);
    for (let left = room; left > 1; left -= 1) expect(await signal()).to.equal(202);
    expect((await send()).status).to.equal(200);
    expect(await signal()).to.equal(429);
  });

  it('is made once for a repeated request whose process died before it answered', async () => {
    const headers = { 'Idempotency-Key': 'startup' };
    await send(change, headers);
    await service.connection
      .collection('idempotency_records')
      .updateMany({}, { $set: { answer: null, leaseEndsAt: new Date(0) } });
    service.panel.forget();
    expect((await send(change, headers)).status).to.equal(200);
    expect(service.panel.requests.filter(({ method }) => method === 'PUT')).to.deep.equal([]);
  });

  for (const [what, failure, message] of [
    ['fails', failed, 'The panel failed; try again later; the change was made'],
    ['is silent', 'hang', 'The panel did not answer in time; try again later; the change was made'],
  ] as const)
    it(`says that it was made when the panel then ${what} (502)`, async () => {
      service.panel.respondNext(...reads, proper, failure);
      const { status, body } = await send({ image: change.image });
      expect([status, body.error.message]).to.deep.equal([502, message]);
    });
});
