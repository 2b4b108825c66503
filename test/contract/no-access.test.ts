/**
 * A user cannot reach another user's data: every procedure is called over every protocol with everything that names
 * that data, in every field. New procedures and collections are covered automatically.
 */
import { expect } from 'chai';
import { mongo } from 'mongoose';
import type { Panel, PanelServer } from '../../routers/panel-port.ts';
import type { PlayersPort } from '../../routers/players-port.ts';
import { addOwner, documentsOfUser, type OwnerFixture } from '../support/owner-fixture.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { type Caller, clients, type ProtocolClient, publicClients } from '../support/protocol-clients.ts';
import { sampleInputOf } from '../support/sample-inputs.ts';
import {
  addSamples,
  isForAdmins,
  oneOfEachKind,
  ownedOperations,
  restRequestOf,
} from '../support/samples.ts';
import { type Answer, useService } from '../support/service.ts';

type Name = string | number;

type ServerPort = Panel & PlayersPort;
/** The method's name if it takes servers that were not found in their owner's list. */
type NameOfUnchecked<Method extends keyof ServerPort> =
  Extract<PanelServer | readonly PanelServer[], Parameters<ServerPort[Method]>[0]> extends never
    ? never
    : Method;
type Unchecked = { [Method in keyof ServerPort]: NameOfUnchecked<Method> }[keyof ServerPort];

/** A name of the same form that does not exist. */
const missing = (name: Name): Name =>
  typeof name === 'number' ? name + 5_000_000 : [...name].reverse().join('');

/** Compared answers must not differ by chance. */
const headers = { 'X-Request-Id': 'the-same' };

/** Headers in which two answers to the same request may differ. */
const changing = ['date', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const everythingIn = ({ status, headers, text }: Answer) =>
  JSON.stringify([status, [...headers].filter(([name]) => !changing.includes(name)), text]);

describe("another user's data", () => {
  // A hash used as a file name matches no file, so a fetch waits for the rest of the file.
  const panel = { pullWaitMs: 500, pullPausesMs: { first: 10, longest: 100 } };
  const service = useService({ rateLimitPerMinute: 1_000_000, config: { trustProxy: true }, panel });
  let otherUser: Caller;
  let restore: () => Promise<void>;
  let owner: OwnerFixture;
  let keptBefore: string;
  let seenByOwner: string[];

  before(async () => {
    const { restore: restoreSamples, ...caller } = await addSamples(service);
    [otherUser, restore] = [caller, restoreSamples];
    // An administrator may see every user's data; a user whose key has every scope may not.
    await service.models.users.change(otherUser.user.email, { isAdmin: false });
    owner = await addOwner(service);
    seenByOwner = await whatOwnerSees();
    await service.flushAudit();
    keptBefore = await kept();
    service.panel.forget();
  });
  beforeEach(async () => {
    service.clock.advance(60_000); // The account page limits each person's requests in a minute.
    const opened = await service.models.sessions.open(otherUser, new Date(service.clock.now()));
    otherUser.session = opened.token;
  });

  /** All of the owner's data in the database, including the types of the numbers. */
  const kept = async () => {
    const documents = await documentsOfUser(service, owner.user._id);
    // Attempts to sign in as the owner appear in the owner's audit.
    const own = documents.filter(({ operation }) => operation !== 'session.signIn');
    return mongo.BSON.EJSON.stringify(own, { relaxed: false });
  };

  async function whatOwnerSees(): Promise<string[]> {
    const reads = publicClients.filter(
      ({ row }) => row.type === 'query' && Object.keys(row.input.shape).length === 0,
    );
    const answers = await Promise.all(reads.map(({ ask }) => ask(service, owner, { input: {}, headers })));
    return answers.map(({ text }) => text);
  }

  /** The other user may see what they just sent, and nothing else of the owner's. */
  function expectNothingLeaked(answer: Answer, sent: unknown, client: ProtocolClient): void {
    const [received, said] = [everythingIn(answer), JSON.stringify(sent)];
    const leaked = owner.values.filter((value) => received.includes(value) && !said.includes(value));
    expect(leaked, `${client.title} ${said}`).to.deep.equal([]);
    // More passwords arrive at once than the service hashes at once.
    if (!answer.text.includes('overloaded')) expect(answer.status, answer.text).to.be.below(500);
  }

  let addressCount = 0;

  async function ask(
    client: ProtocolClient,
    input: Record<string, unknown>,
    caller = otherUser,
  ): Promise<Answer> {
    addressCount += 1;
    const address = `10.0.${addressCount >> 8}.${addressCount & 255}`;
    const question = { input, headers: { ...headers, 'X-Forwarded-For': address } };
    const answer = await client.ask(service, caller, question);
    expectNothingLeaked(answer, question, client);
    return answer;
  }

  /** Keys can be created only a few times a minute, so another user tries each name. */
  const callerOf = async ({ row }: ProtocolClient): Promise<Caller> =>
    row.name === 'keys.rotate' ? { ...otherUser, user: await service.addUser(), session: '' } : otherUser;

  /**
   * All names that the schema accepts in the field that names the resource, one of each form elsewhere, and one that it
   * refuses, which does not depend on the name. tRPC covers each API procedure in full. REST, MCP and the account page
   * call the same procedures, so they get one of each form in that field and one name elsewhere.
   */
  function namesFor({ row, title }: ProtocolClient, field: string): Name[] {
    const input = sampleInputOf(row);
    const isTaken = (name: Name) =>
      // A URL holds a number as text.
      [name, String(name)].some((value) => row.parser.safeParse({ ...input, [field]: value }).success);
    const refused = owner.names.find((name) => !isTaken(name));
    const taken = owner.names.filter(isTaken);
    const looks = oneOfEachKind(taken, (name) => String(name).replace(/[0-9a-f]+/g, 'x'));
    const isProved = !title.endsWith(' tRPC') && 'openapi' in row;
    const [named, beside] = isProved ? [looks, taken.slice(0, 1)] : [taken, looks];
    return [...(field === row.targetField ? named : beside), ...(refused === undefined ? [] : [refused])];
  }

  it('is protected by the type checker, which rejects a call without an ownership check', () => {
    const unchecked: Unchecked[] = [];
    const none: never[] = unchecked;
    expect(none).to.deep.equal([]);
  });

  it('is absent from every permitted answer', async () => {
    for (const client of clients) {
      if ('scope' in client.row && isForAdmins(client.row)) continue;
      const answer = await ask(client, sampleInputOf(client.row));
      if (client.row.type === 'mutation') await restore();
      if ('scope' in client.row) expect(answer.text, client.title).not.to.match(/^\{"error"|"isError":true/);
    }
  });

  for (const client of clients) {
    const { row, title } = client;
    const fields = [...Object.keys(row.input.shape), 'userId'];

    it(`is out of reach of ${title} in ${fields.join(', ')}, with the same answer as missing data`, async () => {
      if (/^sessions?\./.test(row.name)) otherUser.session = ''; // These calls may end the session, so each call gets its own.
      const sample = sampleInputOf(row);
      for (const field of fields) {
        service.clock.advance(60_000); // Past the limit that the previous field used.
        await Promise.all(
          namesFor(client, field).map(async (name, index) => {
            const caller = await callerOf(client);
            const answerTo = async (named: Name, input = sample) => {
              const answer = await ask(client, { ...input, [field]: named }, caller);
              return everythingIn(answer).replaceAll(String(named), 'name');
            };
            const theirs = await answerTo(name);
            if (!theirs.includes('not_found')) return;
            expect(theirs).to.equal(await answerTo(missing(name)));
            if (index > 0) return;
            const wrong = { ...sample, surprise: 1 };
            expect(await answerTo(name, wrong)).to.equal(await answerTo(missing(name), wrong));
          }),
        );
      }
    });
  }

  it('includes a suspended server, which answers like a missing one (404)', async () => {
    const [server = panelServer()] = service.panel.servers.get(93_000_007) ?? [];
    service.panel.servers.set(93_000_007, [{ ...server, suspended: true }]);
    for (const row of ownedOperations.filter(
      ({ pathParameters: [field] }) => field === 'server_identifier',
    )) {
      const { method, path, body } = restRequestOf(row, {
        ...sampleInputOf(row),
        server_identifier: 'their-01',
      });
      expect((await service.call(method, path, { key: otherUser.key, body })).status, row.name).to.equal(404);
    }
    service.panel.servers.set(93_000_007, [server]);
  });

  const writing = publicClients.filter(({ row }) => row.type === 'mutation');
  for (const client of oneOfEachKind(writing, ({ row, title }) => [title.replace(/^.* /, ''), row.slot]))
    it(`is not replayed for their idempotency key: ${client.title}`, async () => {
      const { secret: key } = await service.addKey({ user: otherUser.user });
      for (const name of owner.names.map(String).filter((name) => name.includes('once-of-theirs')))
        for (const sent of [name, name.replace(/^.*:/, '')]) {
          const question = { input: sampleInputOf(client.row), headers: { 'Idempotency-Key': sent } };
          const answer = await client.ask(service, { ...otherUser, key }, question);
          expectNothingLeaked(answer, question, client);
          expect(answer.headers.has('Idempotency-Replayed')).to.equal(false);
        }
    });

  describe('after all these calls', () => {
    it('is unchanged in the database, to the byte, without additions', async () => {
      await service.flushAudit();
      expect(await kept()).to.equal(keptBefore);
    });

    it('is shown to its owner as before', async () => {
      expect(await whatOwnerSees()).to.deep.equal(seenByOwner);
    });

    it('was never requested from the panel', () => {
      expect(new Set(service.panel.signals)).to.deep.equal(new Set(['sample start']));
      expect(service.panel.requests.filter(({ path }) => path.includes('their'))).to.deep.equal([]);
    });
  });
});
