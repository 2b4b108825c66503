/** Nobody learns of another's things, or touches them: they answer byte for byte like things that do not exist. */
import { expect } from 'chai';
import { panelServer } from '../support/proper-panel.ts';
import { addSampled, keyedRows, sampleOf } from '../support/samples.ts';
import { type Answer, startTestService, type TestService } from '../support/service.ts';

/** What differs between any two answers. */
const changing = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const bytesOf = ({ status, headers, text }: Answer) => ({
  status,
  headers: [...headers].filter(([name]) => !changing.includes(name)),
  text,
});

describe('ownership', () => {
  let service: TestService;
  let owner: string;
  let stranger: string;

  before(async () => {
    service = await startTestService();
    ({ key: owner } = await addSampled(service));
    const user = await service.addUser({ isAdmin: true, panelUserId: 8 });
    ({ secret: stranger } = await service.addKey({ user }));
    service.panel.servers.set(8, [panelServer({ identifier: 'theirs', uuid: 'their-uuid' })]);
  });
  after(() => service.stop());

  const acting = keyedRows.filter(
    ({ type, pathParameters }) => type === 'mutation' && pathParameters.length > 0,
  );

  for (const row of acting) {
    const { method, path, body } = sampleOf(row);
    const missingPath = path.replace('sample', 'missing').replace(/\b1\b/, '999');

    describe(`${method} ${row.path}`, () => {
      it("404: another's answers byte for byte like a missing one", async () => {
        const [theirs, missing] = [
          await service.call(method, path, { key: stranger, body }),
          await service.call(method, missingPath, { key: stranger, body }),
        ];
        expect(theirs.status).to.equal(404);
        expect(bytesOf(theirs)).to.deep.equal(bytesOf(missing));
      });

      it("400 before 404: wrong input tells nothing of another's either", async () => {
        const [theirs, missing] = [
          await service.call(method, path, { key: stranger, body: {} }),
          await service.call(method, missingPath, { key: stranger, body: {} }),
        ];
        expect(theirs.status).to.equal(400);
        expect(bytesOf(theirs)).to.deep.equal(bytesOf(missing));
      });

      it('leaves no trace', async () => {
        const tickets = service.connection.collection('tickets');
        const before = await tickets.find().toArray();
        service.panel.forget();
        await service.call(method, path, { key: stranger, body });
        expect(await tickets.find().toArray()).to.deep.equal(before);
        expect(service.panel.signals).to.deep.equal([]);
        expect(service.panel.requests.filter((request) => request.method !== 'GET')).to.deep.equal([]);
      });

      it(`${row.status}: its owner may`, async () => {
        expect((await service.call(method, path, { key: owner, body })).status).to.equal(row.status);
      });
    });
  }

  describe('of lists', () => {
    it('none shows what is of another', async () => {
      const ownersTicket = { title: 'of the owner', message: 'of the owner' };
      await service.call('POST', '/tickets', { key: owner, body: ownersTicket });
      const providers = { providerId: 'sub_of_the_owner', status: 'of the owner' };
      await service.models.subscriptions.add({ userId: 1, ...providers }, new Date());
      for (const path of ['/me', '/servers', '/tickets', '/subscriptions']) {
        const { text } = await service.call('GET', path, { key: stranger });
        for (const ownersOwn of ['of the owner', 'sample', 'user1@example.com'])
          expect(text).not.to.include(ownersOwn);
      }
      expect((await service.call('GET', '/servers', { key: stranger })).body.servers[0].identifier).to.equal(
        'theirs',
      );
    });
  });

  describe('of things in any state', () => {
    it("404: another's closed ticket, another's suspended server", async () => {
      await service.models.tickets.setStatus(1, 'Closed', new Date());
      const suspended = panelServer({ identifier: 'sample', suspended: true });
      service.panel.servers.set(7, [suspended]);
      for (const row of acting) {
        const { method, path, body } = sampleOf(row);
        expect((await service.call(method, path, { key: stranger, body })).status).to.equal(404);
      }
    });
  });
});
