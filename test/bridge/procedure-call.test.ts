/** What the direct call of a procedure relies on in @trpc/server, pinned by name: an upgrade that changes it fails here. */
import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { expect } from 'chai';
import { accountPageRouter } from '../../routers/account/index.ts';
import { appRouter } from '../../routers/index.ts';
import { isAuthorization } from '../../routers/trpc.ts';

interface Internals {
  middlewares: { _type?: string }[];
  inputs: unknown[];
  resolver: unknown;
}

const proceduresOf = (router: AnyRouter) => Object.entries<AnyProcedure>(router._def.procedures);

describe('@trpc/server', () => {
  it('builds each procedure as authorization, input, output and resolver, in this order', () => {
    for (const [name, procedure] of [...proceduresOf(appRouter), ...proceduresOf(accountPageRouter)]) {
      const { middlewares, inputs, resolver } = procedure._def as unknown as Internals;
      const [first, ...others] = middlewares;
      expect(isAuthorization(first), name).to.equal(true);
      expect(others.map(({ _type }) => _type)).to.deep.equal(['input', 'output', undefined]);
      expect(inputs).to.have.length(1);
      expect(resolver).to.be.a('function');
    }
  });
});
