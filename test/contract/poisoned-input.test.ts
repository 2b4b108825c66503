/** Input that tries to bypass the schemas: prototypes, operators and depth, in every field of every procedure and protocol. */
import { expect } from 'chai';
import { type Caller, clients, type ProtocolClient } from '../support/protocol-clients.ts';
import { fieldsOf, sampleInputOf } from '../support/sample-inputs.ts';
import { addSamples, isUpsert, oneOfEachKind } from '../support/samples.ts';
import { type Answer, useService } from '../support/service.ts';

type Input = Record<string, unknown>;

/** Created like JSON.parse does: an own property of this name. */
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
  ...{ 'a prototype': proto, 'an object with its own toString': { toString: 'x', valueOf: 'y', length: 1 } },
  'an object that looks like an id': { _bsontype: 'ObjectId', id: 'aaaaaaaaaaaa' },
};

/** In a URL every value is text: a name in a path, which PUT may set, or a search text. */
const isTextInUrl = ({ title, row }: ProtocolClient, field: string) =>
  title.endsWith('over REST') &&
  'pathParameters' in row &&
  (field === 'search' || (isUpsert(row) && row.pathParameters.includes(field)));

const protocolOf = ({ title }: ProtocolClient) => title.replace(/^.* /, '');

/** One of each kind of client: the same code refuses an extra field in all others. */
const kindsOfClient = oneOfEachKind(clients, (client) => [
  protocolOf(client),
  client.row.type,
  client.row.slot,
]);

/** The fields of all inputs in all protocols, one of each kind: a value is refused by its schema and by what carries it. */
const kindsOfField = oneOfEachKind(
  clients.flatMap((client) =>
    Object.keys(sampleInputOf(client.row))
      .filter((field) => !isTextInUrl(client, field))
      .map((field) => ({ client, field })),
  ),
  ({ client, client: { row }, field }) => ({
    protocol: protocolOf(client),
    isInPath: 'pathParameters' in row && row.pathParameters.includes(field),
    type: row.type,
    schema: { ...fieldsOf(row.input)[field], description: null, examples: null },
  }),
);

describe('poisoned input', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let caller: Caller;
  const innocent = Reflect.ownKeys(Object.prototype);

  before(async () => {
    caller = await addSamples(service);
  });
  beforeEach(async () => {
    service.clock.advance(60_000);
    const opened = await service.models.sessions.open(caller, new Date(service.clock.now()));
    caller.session = opened.token;
  });
  afterEach('nothing is polluted, and nothing has failed', () => {
    expect(Reflect.ownKeys(Object.prototype)).to.deep.equal(innocent);
    expect({}).not.to.have.property('polluted');
    expect(service.logLines).to.deep.equal([]);
  });

  const refusals = /bad_request|not_found|rate_limited/;

  async function expectRefused(client: ProtocolClient, input: Input, what: string): Promise<void> {
    const answer: Answer = await client.ask(service, caller, { input });
    expect(answer.text, `${what} ${answer.status}`).to.match(refusals);
    expect(answer.status, what).to.be.below(500);
  }

  for (const client of clients)
    it(`is refused by ${client.title} in an extra field`, async () => {
      const input = sampleInputOf(client.row);
      const extras = kindsOfClient.includes(client)
        ? Object.entries(extraFields)
        : ([['a prototype', proto]] as const);
      for (const [what, extra] of extras) await expectRefused(client, { ...input, ...extra }, what);
    });

  for (const { client, field } of kindsOfField)
    it(`is refused by ${client.title} in ${field}, as in every field of this kind`, async () => {
      const input = sampleInputOf(client.row);
      for (const [what, value] of Object.entries(values))
        await expectRefused(client, { ...input, [field]: value }, what);
    });
});
