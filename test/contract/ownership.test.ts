/** Another user's things can be neither read nor changed: they answer byte for byte like things that do not exist. */
import { expect } from 'chai';
import { takesBody } from '../../bridge/rest/input.ts';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import { addSampled, ownedRows, restoreSamples, type Sample, sampleOf } from '../support/samples.ts';
import { type Answer, useService } from '../support/service.ts';

/** What differs between any two answers. */
const changing = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const bytesOf = ({ status, headers, text }: Answer) => ({
  status,
  headers: [...headers].filter(([name]) => !changing.includes(name)),
  text,
});

/** The same request about a resource that does not exist. */
const missingOf = ({ path, ...request }: Sample): Sample => ({
  ...request,
  path: path.replace('sample', 'missing').replace(/\b1\b/, '999'),
});

describe('ownership', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let owner: string;
  let ownerId: number;
  let otherUser: string;

  before(async () => {
    const sampled = await addSampled(service);
    [owner, ownerId] = [sampled.key, sampled.user._id];
    const user = await service.addUser({ isAdmin: true, panelUserId: 8 });
    ({ secret: otherUser } = await service.addKey({ user }));
    service.panel.servers.set(8, [panelServer({ identifier: 'theirs', uuid: 'their-uuid' })]);
  });
  beforeEach(() => restoreSamples(service));

  const send = (key: string, { method, path, body }: Sample) => service.call(method, path, { key, body });

  /** The responses to another user: to a request about the owner's resource, and to the same about a missing one. */
  async function answersTo(sample: Sample): Promise<[theirs: Answer, missing: Answer]> {
    return [await send(otherUser, sample), await send(otherUser, missingOf(sample))];
  }

  const naming = ownedRows.filter(({ pathParameters }) => pathParameters.length > 0);
  const listing = ownedRows.filter(({ pathParameters, type }) => !pathParameters[0] && type === 'query');

  for (const row of naming) {
    const sample = sampleOf(row);

    describe(`${row.method} ${row.path}`, () => {
      it("404: answers for another user's byte for byte like a missing one", async () => {
        const [theirs, missing] = await answersTo(sample);
        expect(theirs.status).to.equal(404);
        expect(bytesOf(theirs)).to.deep.equal(bytesOf(missing));
      });

      if (takesBody(row))
        it("400 before 404: refuses invalid input about another user's like about a missing one", async () => {
          const [theirs, missing] = await answersTo({ ...sample, body: { surprise: 1 } });
          expect(theirs.status).to.equal(400);
          expect(bytesOf(theirs)).to.deep.equal(bytesOf(missing));
        });

      it("changes nothing of another user's, in the database and at the panel", async () => {
        const tickets = service.connection.collection('tickets');
        const before = await tickets.find().toArray();
        service.panel.forget();
        await send(otherUser, sample);
        expect(await tickets.find().toArray()).to.deep.equal(before);
        expect(service.panel.signals).to.deep.equal([]);
        expect(service.panel.requests.filter((request) => request.method !== 'GET')).to.deep.equal([]);
      });

      it(`${row.status}: serves the owner`, async () => {
        expect((await send(owner, sample)).status).to.equal(row.status);
      });
    });
  }

  for (const row of listing)
    it(`${row.method} ${row.path}: shows a user nothing of another user's`, async () => {
      const ownersTicket = { title: 'of the owner', message: 'of the owner' };
      await service.call('POST', '/tickets', { key: owner, body: ownersTicket });
      const provider = { providerId: `sub_of_the_owner_${row.name}`, status: 'of the owner' };
      const added = await service.models.subscriptions.add({ userId: ownerId, ...provider }, new Date());
      await service.flushAudit();
      // Who has called nothing yet: what they sent is theirs to see.
      const { secret: stranger } = await service.addKey();
      const { text } = await send(stranger, sampleOf(row));
      for (const ownersOwn of ['of the owner', 'sample', 'user1@example.com', String(added?.reference)])
        expect(text).not.to.include(ownersOwn);
      const seen = await send(owner, sampleOf(row));
      expect(seen.text).to.not.equal(text);
    });

  it("404: another user's closed ticket and suspended server", async () => {
    await service.models.tickets.setStatus(1, 'Closed', { now: new Date() });
    service.panel.servers.set(7, [panelServer({ identifier: 'sample', suspended: true })]);
    for (const row of naming) expect((await send(otherUser, sampleOf(row))).status, row.name).to.equal(404);
  });
});
