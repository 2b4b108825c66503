/** What @trpc/client gets at /trpc, however it is set up to ask. */
import { expect } from 'chai';
import { sampleGame } from '../support/samples.ts';
import { useService } from '../support/service.ts';
import { createRpcClient, links, rpcFailureOf } from '../support/trpc-client.ts';
import { useSampled } from '../support/use-key.ts';

describe('/trpc with @trpc/client', () => {
  const service = useSampled({ rateLimitPerMinute: 1_000_000 });
  const narrow = useService({ rateLimitPerMinute: 1 });

  it('answers a path with a slash at its end like one without', async () => {
    const [plain, slashed] = await Promise.all(
      ['/trpc/account.me', '/trpc/account.me/'].map((path) =>
        service.callAt('GET', path, { key: service.key }),
      ),
    );
    expect([slashed?.status, slashed?.body]).to.deep.equal([200, plain?.body]);
  });

  for (const [kind, link] of Object.entries(links))
    describe(kind, () => {
      it('calls queries and mutations, as REST answers them', async () => {
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

      it('calls several at once, and each has its own outcome', async () => {
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

      it('throws with the code, the request id and the path of the call', async () => {
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

      it('throws without a key and without the scope', async () => {
        const withoutKey = createRpcClient(service.url, { link });
        const calls = [withoutKey.account.me.query(), withoutKey.tickets.list.query()].map(rpcFailureOf);
        for (const { data } of await Promise.all(calls))
          expect(data).to.include({ code: 'unauthorized', httpStatus: 401 });
        const { secret } = await service.addKey({ scopes: ['read:catalog'] });
        const client = createRpcClient(service.url, { key: secret, link });
        const failure = await rpcFailureOf(
          client.tickets.create.mutate({ title: 'Lag', message: 'It lags' }),
        );
        expect(failure.data).to.include({ code: 'insufficient_scope', httpStatus: 403 });
        expect(failure.message).to.equal('This key lacks the scope write:tickets: create a key with it');
      });

      it('throws when the limit is reached', async () => {
        const { secret } = await narrow.addKey();
        const client = createRpcClient(narrow.url, { key: secret, link });
        await client.account.me.query();
        const failure = await rpcFailureOf(client.account.me.query());
        expect(failure.data).to.include({ code: 'rate_limited', httpStatus: 429 });
        expect(failure.data?.requestId).to.match(/^[0-9a-f]{32}$/);
      });
    });

  it('takes the key as X-API-Key too', async () => {
    const client = createRpcClient(service.url, { headers: { 'X-API-Key': service.key } });
    expect((await client.account.me.query()).user.admin).to.equal(true);
  });

  it('describes the API without a key', async () => {
    const { openapi } = await createRpcClient(service.url).openapi.document.query();
    expect(openapi).to.match(/^3\.1\./);
  });

  it('reaches the panel, and tells of its failure without its words', async () => {
    const client = createRpcClient(service.url, { key: service.key });
    expect((await client.servers.list.query()).summary).to.deep.equal({ total: 2 });
    expect(
      await client.servers.power.mutate({ server_identifier: 'sample', signal: 'restart' }),
    ).to.deep.equal({
      server: 'sample',
      signal: 'restart',
      status: 'accepted',
    });
    service.panel.failWith(500, 'ServerError', { detail: 'secret of the panel' });
    const failure = await rpcFailureOf(
      client.servers.power.mutate({ server_identifier: 'sample', signal: 'stop' }),
    );
    service.panel.recover();
    expect(failure.data).to.include({ code: 'upstream_error', httpStatus: 502 });
    expect(JSON.stringify(failure.shape)).not.to.include('secret of the panel');
    expect(service.logLines.some((line) => line.includes(failure.data?.requestId ?? 'none'))).to.equal(true);
  });
});
