/** Many callers wait for a server's backups: they share panel calls and do not block other calls. */
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { expectError } from '../support/expect-error.ts';
import { panelBackup, panelServer } from '../support/panel/attributes.ts';
import { resetPanel } from '../support/server-owner.ts';
import { useOwner } from '../support/use-key.ts';

const id = 'a1b2c3d4';
const pollMs = 500;
const waitersMax = 100;

describe('waiting for backups', () => {
  const service = useOwner({
    rateLimitPerMinute: 1_000_000,
    config: { inFlightMax: 1_000 }, // One user may hold a hundred of these.
    panel: { progressTtlMs: pollMs, liveWaitMs: 200, failureThreshold: 1_000 },
  });
  const uuids = ['one', 'two'] as const;
  const setBackups = (overrides: object) =>
    service.panel.backups.set(
      id,
      uuids.map((uuid) => panelBackup({ uuid, ...overrides })),
    );

  beforeEach(() => {
    resetPanel(service, [panelServer({ identifier: id })]);
    setBackups({ completed_at: null, is_successful: false });
  });
  afterEach(() => service.panel.closeAll());

  const wait = (uuid: string, signal?: AbortSignal) =>
    fetch(`${service.url}/api/v1/servers/${id}/backups/${uuid}?wait=25`, {
      headers: { Authorization: `Bearer ${service.key}` },
      ...(signal && { signal }),
    });
  const waitTogether = (count: number, signal?: AbortSignal) =>
    Array.from({ length: count }, (_, index) => wait(uuids[index % 2] ?? '', signal));
  const completedAt = async (answer: Response) =>
    ((await answer.json()) as { backup: { completed_at: string | null } }).backup.completed_at;
  const looks = () => service.panel.requests.filter(({ path }) => path.includes('/backups?')).length;
  const get = (rest: string) => service.call('GET', `/servers${rest}`, { key: service.key });
  const complete = () => setBackups({ completed_at: '2026-05-01T12:01:00+00:00' });
  const untilLooks = (count: number) => eventually(async () => expect(looks()).to.be.at.least(count));

  it('shares one panel read at a time among a hundred waiters and reports the end to all at once (200)', async () => {
    const startedAt = performance.now();
    const waiting = waitTogether(waitersMax);
    await untilLooks(3);
    complete();
    const answers = await Promise.all(waiting);
    const elapsedMs = performance.now() - startedAt;
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    for (const answer of answers) expect(await completedAt(answer)).to.equal('2026-05-01T12:01:00.000Z');
    // One call may start before the clock is read, and one may end it.
    expect(looks()).to.be.at.most(2 + elapsedMs / pollMs);
  });

  it("uses none of the owner's other slots, and one more waiter gets 429", async () => {
    const waiting = waitTogether(waitersMax);
    await untilLooks(2);
    const refused = await eventually(async () => {
      const answer = await service.call('GET', `/servers/${id}/backups/one?wait=1`, { key: service.key });
      expect(answer.status).to.equal(429);
      return answer;
    });
    expectError(refused, 'rate_limited', 'Too many requests at once');
    const others = ['', '/states', `/${id}/resources`, `/${id}/backups/one`];
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => get(others[index % 4] ?? '')));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    complete();
    await Promise.all(waiting);
    expect((await get(`/${id}/backups/one?wait=1`)).status).to.equal(200);
  });

  it('ends when its client disconnects, which frees its slot and stops panel calls', async () => {
    const leaving = new AbortController();
    const waiting = waitTogether(waitersMax, leaving.signal);
    await untilLooks(2);
    leaving.abort();
    await Promise.allSettled(waiting);
    await pass(2 * pollMs); // Let calls already on their way finish.
    const before = looks();
    await pass(2 * pollMs);
    expect(looks()).to.equal(before);
    const again = waitTogether(waitersMax);
    await untilLooks(before + 1);
    complete();
    expect(new Set((await Promise.all(again)).map(({ status }) => status))).to.deep.equal(new Set([200]));
  });

  for (const [what, behaviour, message] of [
    ['hangs', 'hang', 'The machine that hosts the server did not answer in time; try again later'],
    ['is broken', { status: 500, body: '<html>' }, 'The panel failed; try again later'],
  ] as const)
    it(`fails at once when the panel ${what} and nothing is cached (502)`, async () => {
      await get('');
      service.panel.respondWith(behaviour);
      expectError(await get(`/${id}/backups/one?wait=25`), 'upstream_error', message);
    });

  it('continues while the panel fails for a while (200)', async () => {
    const waiting = wait('one');
    await untilLooks(1);
    service.panel.respondWith({ status: 500, body: '<html>' });
    await untilLooks(3);
    service.panel.recover();
    complete();
    expect(await completedAt(await waiting)).to.equal('2026-05-01T12:01:00.000Z');
  });

  it('ends with 401 for a key revoked meanwhile', async () => {
    const { key: own } = await service.models.apiKeys.verify(service.key, new Date());
    const user = (await service.models.users.find(own?.userId ?? 0)) ?? undefined;
    const { key, secret } = await service.addKey({ ...(user && { user }) });
    const waiting = service.call('GET', `/servers/${id}/backups/one?wait=25`, { key: secret });
    await untilLooks(2);
    await service.models.apiKeys.revoke(key._id, new Date());
    complete();
    expectError(await waiting, 'unauthorized', 'API key revoked');
  });

  it('ends with the last known state when the service stops (200)', async () => {
    const waiting = waitTogether(3);
    await untilLooks(2);
    service.readiness.stop();
    for (const answer of await Promise.all(waiting)) expect(await completedAt(answer)).to.equal(null);
  });
});
