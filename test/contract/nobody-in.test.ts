/**
 * Nobody gets at what is not theirs: every procedure, in every tongue, is called with everything that somebody else's
 * things are called by, in every field. A procedure or a collection that is added is walked too.
 */
import { expect } from 'chai';
import { mongo } from 'mongoose';
import { addOwner, documentsOf, type Possessions } from '../support/possessions.ts';
import { addSampled, sampleInputOf } from '../support/samples.ts';
import { type Answer, startTestService, type TestService } from '../support/service.ts';
import { publicWays, type Somebody, type Way, ways } from '../support/ways.ts';

type Name = string | number;

/** A name of the same look that nothing has. */
const missing = (name: Name): Name =>
  typeof name === 'number' ? name + 5_000_000 : [...name].reverse().join('');

/** In answers that are compared nothing may differ by chance. */
const headers = { 'X-Request-Id': 'the-same' };

/** What two answers to the same may differ in. */
const changing = ['date', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const everythingIn = ({ status, headers, text }: Answer) =>
  JSON.stringify([status, [...headers].filter(([name]) => !changing.includes(name)), text]);

describe('nobody', function () {
  this.timeout(60_000);
  let service: TestService;
  let stranger: Somebody;
  let owner: Possessions;
  let keptBefore: string;
  let seenByOwner: string[];

  before(async () => {
    service = await startTestService({ rateLimitPerMinute: 1_000_000, config: { trustProxy: true } });
    stranger = await addSampled(service);
    owner = await addOwner(service);
    seenByOwner = await whatOwnerSees();
    await service.flushAudit();
    keptBefore = await kept();
    service.panel.forget();
  });
  after(() => service.stop());
  // A person may only ask the account page so much in a minute.
  beforeEach(() => service.clock.advance(60_000));

  /** Everything of the owner's in the database, down to the types of the numbers. */
  const kept = async () =>
    mongo.BSON.EJSON.stringify(await documentsOf(service, owner.user._id), { relaxed: false });

  async function whatOwnerSees(): Promise<string[]> {
    const reads = publicWays.filter(
      ({ row }) => row.type === 'query' && Object.keys(row.input.shape).length === 0,
    );
    const answers = await Promise.all(reads.map(({ ask }) => ask(service, owner, { input: {}, headers })));
    return answers.map(({ text }) => text);
  }

  /** The stranger may be told what the stranger has just said, and nothing of the owner's beside it. */
  function expectNothingTold(answer: Answer, sent: unknown, way: Way): void {
    const said = JSON.stringify(sent);
    const leaked = owner.values.filter(
      (value) => everythingIn(answer).includes(value) && !said.includes(value),
    );
    expect(leaked, `${way.title} ${said}`).to.deep.equal([]);
    expect(answer.status, answer.text).to.be.below(500);
  }

  let addressCount = 0;

  async function ask(way: Way, input: Record<string, unknown>): Promise<Answer> {
    addressCount += 1;
    const address = `10.0.${addressCount >> 8}.${addressCount & 255}`;
    const question = { input, headers: { ...headers, 'X-Forwarded-For': address } };
    const answer = await way.ask(service, stranger, question);
    expectNothingTold(answer, question, way);
    return answer;
  }

  it('is told anything of somebody else by what they may do', async () => {
    for (const way of ways) {
      const answer = await ask(way, sampleInputOf(way.row));
      if ('scope' in way.row) expect(answer.text, way.title).not.to.match(/^\{"error"|"isError":true/);
    }
  });

  for (const way of ways) {
    const { row, title } = way;
    const fields = [...Object.keys(row.input.shape), 'userId'];

    it(`reaches anything of somebody else by ${title}, in ${fields.join(', ')}`, async () => {
      const input = sampleInputOf(row);
      for (const field of fields)
        await Promise.all(
          owner.names.map(async (name) => {
            const theirs = await ask(way, { ...input, [field]: name });
            if (!theirs.text.includes('not_found')) return;
            const nobodys = await ask(way, { ...input, [field]: missing(name) });
            const masked = everythingIn(nobodys).replaceAll(String(missing(name)), 'name');
            expect(everythingIn(theirs).replaceAll(String(name), 'name')).to.equal(masked);
          }),
        );
    });
  }

  for (const way of publicWays.filter(({ row }) => row.type === 'mutation'))
    it(`gets somebody else's answer by their idempotency key: ${way.title}`, async () => {
      const { secret: key } = await service.addKey({ user: stranger.user });
      for (const name of owner.names.map(String).filter((name) => name.includes('once-of-theirs')))
        for (const sent of [name, name.replace(/^.*:/, '')]) {
          const question = { input: sampleInputOf(way.row), headers: { 'Idempotency-Key': sent } };
          const answer = await way.ask(service, { ...stranger, key }, question);
          expectNothingTold(answer, question, way);
          expect(answer.headers.has('Idempotency-Replayed')).to.equal(false);
        }
    });

  describe('has done anything, after all that:', () => {
    it("every document of somebody else's is what it was, to the byte, and none is new", async () => {
      await service.flushAudit();
      expect(await kept()).to.equal(keptBefore);
    });

    it('somebody else sees what they saw', async () => {
      expect(await whatOwnerSees()).to.deep.equal(seenByOwner);
    });

    it("the panel has heard of nobody else's server", () => {
      expect(new Set(service.panel.signals)).to.deep.equal(new Set(['sample start']));
      expect(service.panel.requests.filter(({ path }) => path.includes('their'))).to.deep.equal([]);
    });
  });
});
