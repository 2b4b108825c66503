/** How one procedure shows in the OpenAPI document, and which procedures stop the start instead. */
import { expect } from 'chai';
import { z } from 'zod';
import { createOpenApiDocument } from '../../bridge/openapi/document.ts';
import { NoInput } from '../../routers/schemas/common.ts';
import { type Endpoint, endpoint, router, visitorProcedure } from '../../routers/trpc.ts';

/** The meta of a procedure that only this file has. */
const meta = (given: Partial<Endpoint> = {}): Endpoint => ({
  route: 'GET /test',
  scope: 'read:catalog',
  tag: 'Description',
  summary: 'Test',
  description: 'A test.',
  ...given,
});

const done = () => ({ done: true });
const Done = z.object({ done: z.boolean() });
const procedure = (given?: Partial<Endpoint>) =>
  endpoint(meta(given)).input(NoInput).output(Done).query(done);

describe('a procedure in the OpenAPI document', () => {
  it('has one success, with its true status', () => {
    const { paths } = createOpenApiDocument(router({ created: procedure({ status: 201 }) }));
    const statuses = Object.keys(paths['/test']?.['get']?.responses ?? {});
    expect(statuses).to.deep.equal(['201', '401', '403', '429', '500', '503']);
  });

  it('cannot lack a scope when every key will do, but may be refused by the address', () => {
    const { paths } = createOpenApiDocument(router({ open: procedure({ scope: 'any' }) }));
    const operation = paths['/test']?.['get'];
    expect(operation?.description).to.equal('A test.\n\nRequires any valid key.');
    expect(operation).not.to.have.property('x-required-scope');
    expect(Object.keys(operation?.responses ?? {})).to.deep.equal(['200', '401', '403', '429', '500', '503']);
  });

  it('is there only when it is part of the public API', () => {
    const { paths } = createOpenApiDocument(
      router({
        visit: visitorProcedure.input(NoInput).output(Done).query(done),
        shown: procedure(),
      }),
    );
    expect(Object.keys(paths)).to.deep.equal(['/test']);
  });

  it('stops the start when it gives a title that another schema has', () => {
    const Other = z.object({ done: z.string() }).meta({ title: 'Done' });
    const twice = router({
      one: endpoint(meta())
        .input(NoInput)
        .output(Done.meta({ title: 'Done' }))
        .query(done),
      other: endpoint(meta({ route: 'GET /other' }))
        .input(NoInput)
        .output(Other)
        .query(() => ({ done: 'yes' })),
    });
    expect(() => createOpenApiDocument(twice)).to.throw('Two schemas are named Done');
  });

  it('stops the start when no input can be wrong', () => {
    const lenient = router({
      lenient: endpoint(meta())
        .input(z.object({ word: z.string().optional() }))
        .output(Done)
        .query(done),
    });
    expect(() => createOpenApiDocument(lenient)).to.throw(
      'lenient accepts any input: its schema must be a z.strictObject',
    );
  });
});
