/** Requests and responses at /trpc, compared with tRPC's own handler. */
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { expect } from 'chai';
import type { Context } from '../../routers/context.ts';
import { appRouter } from '../../routers/index.ts';
import { addSamples } from '../support/samples.ts';
import { type CallOptions, useService } from '../support/service.ts';

describe('the protocol at /trpc', () => {
  const service = useService({
    rateLimitPerMinute: 1_000_000,
    config: { corsOrigins: ['https://app.test'] },
  });
  let key: string;
  let context: Context;

  before(async () => {
    const sampled = await addSamples(service);
    key = sampled.key;
    const caller = {
      userId: sampled.user._id,
      keyId: '',
      scopes: ['read:catalog', 'read:account', 'write:tickets'],
    };
    const { models, clock } = service;
    // The procedures below read only this.
    context = { caller, requestId: 'same', models, clock: clock.now } as unknown as Context;
  });

  const send = (method: string, path: string, options: CallOptions = {}) =>
    service.callAt(method, `/trpc/${path}`, {
      key,
      ...options,
      headers: { 'X-Request-Id': 'same', ...options.headers },
    });

  it('accepts a query and a mutation at a path that ends in a slash', async () => {
    const plain = await send('GET', 'account.me');
    expect((await send('GET', 'account.me/')).body).to.deep.equal(plain.body);
    const body = { title: 'Lag', message: 'It lags' };
    expect((await send('POST', 'tickets.create/', { body })).status).to.be.oneOf([200, 201]);
  });

  const input = (value: unknown) => `input=${encodeURIComponent(JSON.stringify(value))}`;

  describe("answers like tRPC's own handler", () => {
    const byTrpc = async (path: string) => {
      const response = await fetchRequestHandler({
        endpoint: '/trpc',
        router: appRouter,
        req: new Request(`http://handler/trpc/${path}`),
        createContext: () => context,
      });
      return { status: response.status, body: await response.json() };
    };

    const right = [
      'account.me',
      'account.me?input=%7B%7D',
      'catalog.getGame?input=%7B%22slug%22%3A%22sample%22%7D',
      `catalog.getGame?${input({ slug: 'nowhere' })}`,
      'catalog.getGame',
      `announcements.list?${input({ page: '1' })}`,
      'account.me?batch=1',
      `account.me,catalog.getGame,tickets.list?batch=1&${input({ 1: { slug: 'sample' } })}`,
      `account.me%2Ctickets.list?batch=1&${input({})}`,
      `account.me,catalog.getGame?batch=1&${input({ 1: { slug: 'nowhere' } })}`,
      `catalog.getGame,catalog.getGame?batch=1&${input({ 0: { slug: 'nowhere' }, 1: { slug: 'there' } })}`,
    ];
    for (const path of right)
      it(`to ${decodeURIComponent(path)}`, async () => {
        const { status, body } = await send('GET', path);
        expect({ status, body }).to.deep.equal(await byTrpc(path));
      });
  });

  it("accepts a batch as large as the sum of its calls' limits", async () => {
    const body = Object.fromEntries(
      [0, 1].map((index) => [index, { title: 'Large', message: 'x'.repeat(200_000) }]),
    );
    const answer = await send('POST', 'tickets.create,tickets.create?batch=1', { body });
    expect(answer.status).to.equal(400);
    expect(answer.body[1].error.message).to.equal('message must be at most 10000 characters');
    expect((await send('POST', 'tickets.create?batch=1', { body })).status).to.equal(413);
  });

  it('answers HEAD like GET, without the body', async () => {
    const answer = await send('HEAD', 'account.me');
    expect(answer.status).to.equal(200);
    expect(answer.text).to.equal('');
  });

  it('accepts calls from pages of the configured origins, streamed ones too', async () => {
    const preflight = await service.callAt('OPTIONS', '/trpc/account.me?batch=1', {
      headers: {
        Origin: 'https://app.test',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization,trpc-accept',
      },
    });
    expect(preflight.status).to.equal(204);
    expect(preflight.headers.get('Access-Control-Allow-Origin')).to.equal('https://app.test');
    expect(preflight.headers.get('Access-Control-Allow-Headers')?.toLowerCase().split(',')).to.include(
      'trpc-accept',
    );
    const answer = await send('GET', 'account.me?batch=1', {
      headers: { Origin: 'https://app.test', 'trpc-accept': 'application/jsonl' },
    });
    expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal('https://app.test');
    expect(answer.headers.get('Vary')?.toLowerCase()).to.include('trpc-accept');
    expect(answer.headers.get('Content-Type')).to.equal('application/jsonl');
  });
});
