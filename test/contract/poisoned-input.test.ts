/** Input made to reach behind the shapes: prototypes, operators and depth, in every field of every procedure and tongue. */
import { expect } from 'chai';
import { addSampled, sampleInputOf } from '../support/samples.ts';
import { type Answer, startTestService, type TestService } from '../support/service.ts';
import { type Somebody, type Way, ways } from '../support/ways.ts';

type Input = Record<string, unknown>;

/** As JSON.parse makes it: a field of its own by this name. */
const proto: Input = JSON.parse(
  '{"__proto__": {"polluted": true, "isAdmin": true, "scopes": ["read:account"]}}',
);

const extraFields: Record<string, Input> = {
  'a prototype': proto,
  constructor: { constructor: { prototype: { polluted: true } } },
  'a path to the prototype': { 'constructor.prototype.polluted': true, '__proto__.polluted': true },
  'a path in brackets': { '__proto__[polluted]': true, 'constructor[prototype][polluted]': true },
  'an operator': { $where: 'sleep(10000)', $or: [{}] },
};

const values: Record<string, unknown> = {
  ...{ 'not that': { $ne: null }, 'anything above': { $gt: '' }, 'a pattern': { $regex: '.*' } },
  ...{ 'a program': { $where: 'while (true) {}' }, 'a list of operators': [{ $ne: null }] },
  ...{ 'a prototype': proto, 'a thing with a text of its own': { toString: 'x', valueOf: 'y', length: 1 } },
  'a thing that looks like an id': { _bsontype: 'ObjectId', id: 'aaaaaaaaaaaa' },
};

describe('poisoned input', function () {
  this.timeout(60_000);
  let service: TestService;
  let somebody: Somebody;
  const innocent = Reflect.ownKeys(Object.prototype);

  before(async () => {
    service = await startTestService({ rateLimitPerMinute: 1_000_000 });
    somebody = await addSampled(service);
  });
  after(() => service.stop());
  beforeEach(() => service.clock.advance(60_000));
  afterEach('nothing is polluted, and nothing has failed', () => {
    expect(Reflect.ownKeys(Object.prototype)).to.deep.equal(innocent);
    expect({}).not.to.have.property('polluted');
    expect(service.logLines).to.deep.equal([]);
  });

  const refusals = /bad_request|not_found|rate_limited/;

  async function expectRefused(way: Way, input: Input, what: string): Promise<void> {
    const answer: Answer = await way.ask(service, somebody, { input });
    expect(answer.text, `${what} ${answer.status}`).to.match(refusals);
    expect(answer.status, what).to.be.below(500);
  }

  for (const way of ways) {
    const input = sampleInputOf(way.row);

    it(`is refused by ${way.title}`, async () => {
      for (const [what, extra] of Object.entries(extraFields))
        await expectRefused(way, { ...input, ...extra }, what);
      for (const field of Object.keys(input))
        for (const [what, value] of Object.entries(values))
          await expectRefused(way, { ...input, [field]: value }, `${field}: ${what}`);
    });
  }
});
