/** @trpc/client at /trpc, with each of its links. */
import { expect } from 'chai';
import { sampleGame } from '../support/samples.ts';
import { createRpcClient, links, rpcFailureOf } from '../support/trpc-client.ts';
import { useSamples } from '../support/use-key.ts';

describe('/trpc with @trpc/client', () => {
  const service = useSamples({ rateLimitPerMinute: 1_000_000 });

  for (const [kind, link] of Object.entries(links))
    describe(kind, () => {
      it('calls queries and mutations with the same results as REST', async () => {
        const client = createRpcClient(service.url, { key: service.key, link });
        const { body } = await service.call('GET', '/me', { key: service.key });
        expect(await client.account.me.query()).to.deep.equal(body);
        const { game } = await client.catalog.getGame.query({ slug: 'sample' });
        expect(game).to.include({ slug: 'sample', title: sampleGame.title, priceFrom: '4.99' });
        const { ticket } = await client.tickets.create.mutate({ title: 'Lag', message: 'It lags' });
        expect(ticket).to.include({ subject: 'Lag', status: 'New' });
        const reply = await client.tickets.reply.mutate({ ticket_id: ticket.id, message: 'Still' });
        expect(reply).to.deep.equal({ ticket_id: ticket.id, status: 'Active' });
      });

      it('makes several calls at once, each with its own outcome', async () => {
        const client = createRpcClient(service.url, { key: service.key, link });
        const [me, game, missing, tickets] = await Promise.allSettled([
          client.account.me.query(),
          client.catalog.getGame.query({ slug: 'sample' }),
          client.catalog.getGame.query({ slug: 'nowhere' }),
          client.tickets.list.query(),
        ]);
        expect([me.status, game.status, missing.status, tickets.status]).to.deep.equal([
          'fulfilled',
          'fulfilled',
          'rejected',
          'fulfilled',
        ]);
      });

      it('throws an error with the code, the request id and the path of the call', async () => {
        const client = createRpcClient(service.url, {
          key: service.key,
          link,
          headers: { 'X-Request-Id': 'mine-1' },
        });
        const failure = await rpcFailureOf(client.catalog.getGame.query({ slug: 'nowhere' }));
        expect(failure.message).to.equal('Game not found');
        expect(failure.shape).to.deep.equal({
          message: 'Game not found',
          code: -32004,
          data: { code: 'not_found', httpStatus: 404, requestId: 'mine-1', path: 'catalog.getGame' },
        });
      });
    });
});
