/** The OpenAPI document, readable without a key. */
import { z } from 'zod';
import { endpoint, router } from './trpc.ts';

const OpenApiQuery = z
  .strictObject({
    version: z.enum(['3.1', '3.0']).default('3.1').describe('Choose 3.0 for tools that cannot read 3.1.'),
  })
  .optional();

export const openapiRouter = router({
  document: endpoint({
    route: 'GET /openapi.json',
    scope: null,
    tag: 'Description',
    summary: 'Get this description',
    description: 'Returns the OpenAPI document of this API, with the absolute URL of its server.',
    operationId: 'getOpenApiDocument',
  })
    .input(OpenApiQuery)
    .output(z.looseObject({ openapi: z.string() }).meta({ title: 'OpenApiDocument' }))
    .query(({ ctx, input }) =>
      ctx.openApiDocument({ version: input?.version ?? '3.1', baseUrl: ctx.baseUrl() }),
    ),
});
