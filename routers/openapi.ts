/** The OpenAPI document, readable without a key. */
import { z } from 'zod';
import { endpoint, router } from './trpc.ts';

const OpenApiQuery = z
  .strictObject({
    version: z.enum(['3.1', '3.0']).default('3.1').describe('Choose 3.0 for tools that cannot read 3.1.'),
  })
  .optional();

const OpenApiDocument = z
  .looseObject({ openapi: z.string().describe('The version of OpenAPI that the document follows.') })
  .meta({ title: 'OpenApiDocument', description: 'The description of this API, in OpenAPI.' });

export const openapiRouter = router({
  document: endpoint({
    route: 'GET /openapi.json',
    scope: null,
    tag: 'Description',
    summary: 'Get this description',
    description:
      'Returns the OpenAPI document of this API, with the absolute URL of its server. Use it to generate a client, or to import the API into a tool.',
    operationId: 'getOpenApiDocument',
  })
    .input(OpenApiQuery)
    .output(OpenApiDocument)
    .query(({ ctx, input }) =>
      ctx.openApiDocument({ version: input?.version ?? '3.1', baseUrl: ctx.baseUrl() }),
    ),
});
