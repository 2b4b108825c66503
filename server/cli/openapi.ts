/** `openapi`: prints the OpenAPI document without a service or a database, for generators and reviews. */
import { z } from 'zod';
import { readConfig } from '../config.ts';
import { withoutEndSlash } from '../setting-types.ts';
import { withoutDatabase } from './access.ts';
import { command } from './command.ts';

export const openapi = command({
  summary: 'Print the OpenAPI 3.1 document, always as JSON. Needs no database',
  example: 'openapi --url https://api.example.com > openapi.json',
  options: z.object({
    url: z
      .url({
        protocol: /^https?$/,
        error: 'must be an http or https address, such as https://api.example.com',
      })
      .transform(withoutEndSlash)
      .optional()
      .describe('<base> address of the service, without /api/v1; default PUBLIC_URL, else this computer'),
  }),
  access: withoutDatabase,
  async run(_models, { url }, { env }) {
    // Imported here, because only this command needs these modules, and they load slowly.
    const { appRouter } = await import('../../routers/index.ts');
    const { createOpenApiDocument } = await import('../../bridge/openapi/document.ts');
    const { oauthUrlsOf } = await import('../oauth/documents.ts');
    const { selectOfferedScopes } = await import('../../routers/scopes.ts');
    const config = readConfig(env);
    const { publicUrl, port, brand, supportEmail } = config;
    const baseUrl = url ?? publicUrl ?? `http://localhost:${port}`;
    const offered = selectOfferedScopes(config);
    const json = createOpenApiDocument(appRouter, {
      offeredScopes: offered,
      baseUrl,
      publicUrl,
      oauth: oauthUrlsOf(publicUrl),
      host: { ...brand, supportEmail },
    });
    return { json, text: JSON.stringify(json, null, 2) };
  },
});
