/** Wrong requests to /trpc get a message that a client understands, and never a 5xx. */
import { expect } from 'chai';
import { requestOf, sendRaw } from '../support/raw-http.ts';
import type { Answer, CallOptions } from '../support/service.ts';
import { useCustomer } from '../support/use-key.ts';

interface Refusal extends Omit<CallOptions, 'key'> {
  ask: string;
  status: number;
  /** Part of the expected message. */
  words: string;
}

describe('a wrong request to /trpc', () => {
  const service = useCustomer({ rateLimitPerMinute: 1_000_000 });

  /** Sends a request such as "GET account.me". */
  const send = (ask: string, options: CallOptions = {}) => {
    const [method = '', path] = ask.split(' ');
    const headers = { 'X-Request-Id': 'same', ...options.headers };
    return service.callAt(method, `/trpc/${path}`, { key: service.key, ...options, headers });
  };

  /** The error of an answer, or of the first call of a batch. */
  const errorOf = ({ body }: Answer) => [body].flat()[0].error;

  const operator = encodeURIComponent(JSON.stringify({ slug: { $ne: '' } }));
  const form = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const unknownPaths = ['tickets.remove', 'tickets', '', 'account.me,account.me', '__proto__', 'constructor'];

  const refusals: Refusal[] = [
    { ask: 'GET catalog.getGame?input={', status: 400, words: 'input is not valid JSON' },
    { ask: 'GET account.me?input={}&input={}', status: 400, words: 'input must be given once' },
    { ask: 'GET account.me?batch=1&input=[]', status: 400, words: 'must be an object such as {"0": {}}' },
    { ask: 'GET account.me?input=[]', status: 400, words: 'input must be an object' },
    { ask: `GET catalog.getGame?input=${operator}`, status: 400, words: 'slug must be a string' },
    { ask: 'POST tickets.create', body: '{"title"', status: 400, words: 'The body is not valid JSON' },
    { ask: 'POST tickets.create', body: ' ', status: 400, words: 'The body is empty' },
    { ask: 'POST tickets.create', status: 400, words: 'input is required' },
    {
      ask: 'POST tickets.create',
      body: { title: 'a', urgent: 1 },
      status: 400,
      words: 'urgent is not a known',
    },
    { ask: 'POST tickets.create', body: 'a', headers: form, status: 400, words: 'Content-Type must be' },
    ...unknownPaths.map((path) => ({ ask: `GET ${path}`, status: 404, words: 'Procedure not found' })),
    { ask: 'GET %E0%A4%A', status: 404, words: 'Procedure not found' },
    { ask: 'GET tickets.create', status: 405, words: 'tickets.create does not support GET; use POST' },
    { ask: 'DELETE account.me', status: 405, words: 'use GET, HEAD, POST' },
    {
      ask: 'POST tickets.create',
      body: { title: 'x'.repeat(300_000) },
      status: 413,
      words: 'at most 262144',
    },
  ];

  for (const { ask, status, words, ...options } of refusals)
    it(`gets ${status} for ${ask}: ${words}`, async () => {
      const answer = await send(ask, options);
      expect(answer.status).to.equal(status);
      expect(errorOf(answer).message).to.include(words);
      expect(errorOf(answer).data).to.include({ httpStatus: status, requestId: 'same' });
      expect(answer.headers.get('X-Request-Id')).to.equal('same');
      expect(answer.text).not.to.include('stack');
    });

  it('gets the allowed methods in Allow with a 405', async () => {
    expect((await send('GET tickets.create')).headers.get('Allow')).to.equal('POST');
    expect((await send('PUT account.me')).headers.get('Allow')).to.equal('GET, HEAD, POST');
  });

  it('gets 401 without a key, whatever else is wrong', async () => {
    for (const { ask, body, headers = {} } of refusals) {
      const answer = await send(ask, { key: null, body, headers });
      expect(answer.status, ask).to.equal(401);
      expect(errorOf(answer).data.code).to.equal('unauthorized');
      expect(answer.headers.get('WWW-Authenticate')).to.equal('Bearer');
    }
  });

  it('gets 403 without the scope, before its input is read', async () => {
    const { secret } = await service.addKey({ scopes: ['read:catalog'] });
    const answer = await send('POST tickets.create', { key: secret, body: '{' });
    expect(answer.status).to.equal(403);
  });

  it('fails call by call when the inputs of a batch are not JSON', async () => {
    const answer = await send('POST tickets.create,account.me,nothing?batch=1', { body: '{' });
    const statuses = answer.body.map(
      (part: { error: { data: { httpStatus: number } } }) => part.error.data.httpStatus,
    );
    expect(answer.status).to.equal(207);
    expect(statuses).to.deep.equal([400, 400, 404]);
  });

  it('never causes a 5xx with thousands of inputs or a thousand commas', async () => {
    const many = `{${Array.from({ length: 20_000 }, (_, index) => `"${index}":1`).join()}}`;
    expect((await send('POST account.me?batch=1', { body: many })).status).to.equal(400);
    expect((await send(`GET ${','.repeat(1000)}?batch=1`)).status).to.equal(400);
  });

  it('never causes a 5xx with bytes that are not text', async () => {
    for (const target of [
      '/trpc/\xff?input=\xff',
      '/trpc/%00?batch=1&input=%00',
      '/trpc?batch=1',
      '/trpc/a?batch=1&batch=1',
    ]) {
      const request = requestOf(`GET ${target} HTTP/1.1`, { Authorization: `Bearer ${service.key}` });
      expect((await sendRaw(service.url, Buffer.from(request, 'latin1'))).status, target).to.be.within(
        400,
        499,
      );
    }
  });
});
