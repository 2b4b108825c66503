/** PUT, PATCH and DELETE over REST: which status they answer with, and what they take as a body. */
import { expect } from 'chai';
import { z } from 'zod';
import { createOpenApiDocument } from '../../bridge/openapi/document.ts';
import { notFound } from '../../routers/errors.ts';
import { endpoint, type Method, router } from '../../routers/trpc.ts';
import { expectError } from '../support/expect-error.ts';
import { useService } from '../support/service.ts';

const Named = z.strictObject({ name: z.string() });
const Note = z.strictObject({ name: z.string(), text: z.string() });

const meta = (method: Method) => ({
  route: `${method} /notes/{name}` as const,
  scope: 'write:tickets' as const,
  tag: 'Description' as const,
  summary: 'A',
  description: 'B.',
});

/** Notes by name, kept as long as the router. */
function createNotesRouter() {
  const notes = new Map<string, string>();
  const output = z.object({ note: Note });
  return router({
    put: endpoint({ ...meta('PUT'), canCreate: true })
      .input(Note)
      .output(output)
      .mutation(({ ctx, input }) => {
        if (!notes.has(input.name)) ctx.outcome.isCreated = true;
        notes.set(input.name, input.text);
        return { note: input };
      }),
    patch: endpoint(meta('PATCH'))
      .input(Named.extend({ text: z.string().optional() }))
      .output(output)
      .mutation(({ input: { name, text = notes.get(name) ?? '' } }) => ({ note: { name, text } })),
    remove: endpoint(meta('DELETE'))
      .input(Named)
      .output(z.object({ deleted: z.literal(true) }))
      .mutation(({ input: { name } }) => {
        if (!notes.delete(name)) throw notFound('Note');
        return { deleted: true as const };
      }),
  });
}

describe('the methods of REST', () => {
  const notesRouter = createNotesRouter();
  const config = { corsOrigins: ['https://app.example.com'] };
  const service = useService({ router: notesRouter, config });
  let user: number;
  let key: string;

  before(async () => {
    const owner = await service.addKey();
    [user, key] = [owner.user._id, owner.secret];
  });

  const send = (method: string, path: string, body?: object) =>
    service.call(method, path, { key, ...(body && { body }) });

  it('PUT: 201 when it created something, 200 when it changed it', async () => {
    const answers = [
      await send('PUT', '/notes/first', { text: 'a' }),
      await send('PUT', '/notes/first', { text: 'a' }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 200]);
    expect(answers[0]?.text).to.equal(answers[1]?.text);
  });

  it('PUT: repeats 201 for the same idempotency key', async () => {
    const put = { key, body: { text: 'a' }, headers: { 'Idempotency-Key': 'create-once' } };
    const first = await service.call('PUT', '/notes/keyed', put);
    const second = await service.call('PUT', '/notes/keyed', put);
    expect([first.status, second.status, second.text]).to.deep.equal([201, 201, first.text]);
    expect(second.headers.get('Idempotency-Replayed')).to.equal('true');
  });

  it('PUT: is audited with the status it answered with', async () => {
    await send('PUT', '/notes/audited', { text: 'a' });
    await send('PUT', '/notes/audited', { text: 'b' });
    const entries = await service.models.auditEntries.list({ userId: user, limit: 2 });
    expect(entries.map(({ status, target }) => [status, target])).to.deep.equal([
      [200, 'audited'],
      [201, 'audited'],
    ]);
  });

  it('PUT: answers 200 over tRPC in either case, and only to POST', async () => {
    const put = (method: string) =>
      service.callAt(method, '/trpc/put', { key, body: { name: 'typed', text: 'a' } });
    expect((await put('POST')).status).to.equal(200);
    const refused = await put('PUT');
    expect([refused.status, refused.headers.get('Allow')]).to.deep.equal([405, 'POST']);
  });

  it('PATCH: takes a body, and may leave it out where no field is required', async () => {
    await send('PUT', '/notes/patched', { text: 'a' });
    expect((await send('PATCH', '/notes/patched', { text: 'b' })).body.note.text).to.equal('b');
    expect((await send('PATCH', '/notes/patched')).body.note.text).to.equal('a');
  });

  it('DELETE: needs no body, takes an empty object, and answers 404 where there is nothing', async () => {
    await send('PUT', '/notes/gone', { text: 'a' });
    const answer = await send('DELETE', '/notes/gone');
    expect([answer.status, answer.body]).to.deep.equal([200, { deleted: true }]);
    expectError(await send('DELETE', '/notes/gone', {}), 'not_found', 'Note not found');
  });

  it('DELETE: refuses fields in the body and in the query', async () => {
    for (const refused of [
      await send('DELETE', '/notes/first', { force: 1 }),
      await send('DELETE', '/notes/first?force=1'),
    ])
      expectError(refused, 'bad_request', 'force is not a known field');
  });

  it('405: Allow names every method of the path', async () => {
    const answer = await send('GET', '/notes/first');
    expect([answer.status, answer.headers.get('Allow')]).to.deep.equal([405, 'PUT, PATCH, DELETE, OPTIONS']);
  });

  it('a preflight allows every method', async () => {
    const headers = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'DELETE' };
    const answer = await service.call('OPTIONS', '/notes/first', { headers });
    expect(answer.headers.get('Access-Control-Allow-Methods')).to.equal('GET,HEAD,POST,PUT,PATCH,DELETE');
  });

  it('the OpenAPI document shows both statuses of a PUT and no body of a DELETE', () => {
    const { paths } = createOpenApiDocument(notesRouter);
    const operations = paths['/notes/{name}'];
    expect(operations?.['put']?.responses).to.include.keys('200', '201', '413');
    expect(operations?.['put']?.requestBody?.required).to.equal(true);
    expect(operations?.['patch']?.requestBody?.required).to.equal(false);
    expect(operations?.['delete']).to.not.have.property('requestBody');
    expect(operations?.['delete']?.responses).to.not.include.keys('413');
  });
});
