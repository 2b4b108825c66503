/** Procedures for tests, built like any other: all protocols must offer them without extra code. */
import { z } from 'zod';
import { badRequest } from '../../routers/errors.ts';
import { openapiRouter } from '../../routers/openapi.ts';
import { NoInput, pathName } from '../../routers/schemas/common.ts';
import { endpoint, router } from '../../routers/trpc.ts';

/** The protocol's conformance scenarios require the names and texts of the first two tools. */
export const testRouter = router({
  openapi: openapiRouter,

  test: router({
    simpleText: endpoint({
      route: 'GET /test/simple-text',
      scope: 'read:catalog',
      tag: 'Description',
      summary: 'Say a simple text',
      description: 'Says a simple text.',
      tool: { name: 'test_simple_text' },
    })
      .input(NoInput)
      .output(z.object({ text: z.string() }))
      .query(() => ({ text: 'This is a simple text response for testing.' })),

    errorHandling: endpoint({
      route: 'GET /test/error-handling',
      scope: 'read:catalog',
      tag: 'Description',
      summary: 'Fail',
      description: 'Fails on purpose.',
      tool: { name: 'test_error_handling' },
    })
      .input(NoInput)
      .output(z.object({ text: z.string() }))
      .query(() => {
        throw badRequest('This tool intentionally returns an error for testing');
      }),

    echo: endpoint({
      route: 'POST /test/echo/{name}',
      scope: 'write:tickets',
      status: 202,
      tag: 'Description',
      summary: 'Echo',
      description: 'Gives back what it is given.',
      destructive: true,
      tool: { name: 'test_echo', idempotent: true, openWorld: true },
    })
      .input(z.strictObject({ name: pathName(), times: z.int().min(1).nullable() }))
      .output(z.object({ name: z.string(), times: z.int().nullable(), caller: z.int() }))
      .mutation(({ ctx, input }) => ({ ...input, caller: ctx.caller.userId })),
  }),
});
