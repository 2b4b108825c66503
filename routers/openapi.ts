/** The description of the API, by the API: the one procedure that needs no key. */
import { z } from 'zod';
import { Nothing } from './shapes/nothing.ts';
import { endpoint, router } from './trpc.ts';

export const openapiRouter = router({
  document: endpoint({
    scope: null,
    status: 200,
    openapi: {
      method: 'GET',
      path: '/openapi.json',
      tags: ['Description'],
      summary: 'Get this description',
      description: 'The OpenAPI 3.1 document of this API.',
    },
  })
    .input(Nothing)
    .output(z.looseObject({ openapi: z.string() }).describe('An OpenAPI 3.1 document.'))
    .query(({ ctx }) => ctx.openApiDocument()),
});
