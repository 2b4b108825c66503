/** The summary of activity over two processes, one of which is killed while it has calls that are stored and not counted. */
import { expect } from 'chai';
import type { ApiKeyRecord } from '../../models/api-key/store.ts';
import type { AuditWriterRecord } from '../../models/audit-entry.ts';
import { eventually } from '../support/eventually.ts';
import { useTwoPrograms } from '../support/two-programs.ts';

const callsMin = 10_000;
const callersEach = 8;

/** Longer than a killed process counts as alive, and the interval at which others look for it. */
const countedWithinMs = 150_000;

describe('the summary of activity', () => {
  const service = useTwoPrograms(() => ({ RATE_LIMIT_PER_MINUTE: '1000000' }));

  const call = async (url: string, path: string, secret: string) => {
    const answer = await fetch(`${url}/api/v1${path}`, { headers: { 'X-API-Key': secret } });
    return { status: answer.status, text: await answer.text() };
  };

  /** Calls until it is stopped or the process is gone; every tenth call is an error. */
  function startCalling(url: string, secret: string) {
    let isStopped = false;
    const run = async () => {
      for (let made = 0; !isStopped; made += 1)
        await call(url, made % 10 === 0 ? '/tickets/999' : '/me', secret).catch(() => {
          isStopped = true;
        });
    };
    const ended = Promise.all(Array.from({ length: callersEach }, run));
    return {
      stop() {
        isStopped = true;
        return ended;
      },
    };
  }

  const entries = () => service.connection.collection('audit_entries');
  const writers = () => service.connection.collection<AuditWriterRecord>('audit_writers');

  /** What the audit holds of a key. */
  const audited = async ({ _id: keyId }: ApiKeyRecord) => ({
    calls: await entries().countDocuments({ keyId }),
    errors: await entries().countDocuments({ keyId, status: { $gte: 400 } }),
  });

  /** Entries of a process, all of whose numbers begin with the same bytes, that are stored and not counted. */
  async function countUncounted({ _id, countedTo }: AuditWriterRecord): Promise<number> {
    const last = Buffer.concat([_id.id.subarray(0, 5), Buffer.alloc(7, 0xff)]).toString('hex');
    const all = await entries()
      .find({ _id: { $gt: countedTo } }, { projection: { _id: 1 } })
      .toArray();
    return all.filter((entry) => entry._id.toHexString() < last).length;
  }

  it('agrees with the audit after 10,000 calls at two processes, one of which was killed before it counted', async () => {
    const { one: survivor, other: victim } = service;
    const user = await service.addUser();
    const [worker, reader] = [await service.addKey(user, 'worker'), await service.addKey(user, 'reader')];
    await call(victim.url, '/me', worker.secret);
    const { _id } = await eventually(async () => (await writers().findOne()) ?? expect.fail('no writer'));
    const callers = [survivor, victim].map(({ url }) => startCalling(url, worker.secret));

    await eventually(async () => {
      const writer = await writers().findOne({ _id });
      expect(writer && (await countUncounted(writer))).to.be.above(500);
    }, countedWithinMs);
    await victim.stop('SIGKILL');
    const left = await writers().findOne({ _id });
    expect(left && (await countUncounted(left)), 'uncounted calls of the killed process').to.be.above(0);
    await eventually(
      async () => expect((await audited(worker.key)).calls).to.be.at.least(callsMin),
      countedWithinMs,
    );
    await Promise.all(callers.map((each) => each.stop()));

    const summed = await eventually(async () => {
      const { text } = await call(survivor.url, '/activity/summary?days=2', reader.secret);
      const { keys } = JSON.parse(text);
      const found = keys.find(({ name }: { name: string }) => name === 'worker');
      expect(found).to.include(await audited(worker.key));
      return found;
    }, countedWithinMs);
    expect(summed.calls).to.be.at.least(callsMin);
    expect(summed.errors).to.be.above(0);
  });
});
