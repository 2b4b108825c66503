/** `openapi`: prints the OpenAPI document without a service or a database, for generators and reviews. */
import { z } from 'zod';
import { readConfig } from '../config.ts';
import { withoutEndSlash } from '../setting-types.ts';
import { addVerb, type CliCommand, type Io, type Report, verb } from './command.ts';

export function addOpenapiCommand(program: CliCommand): void {
  addVerb(program, 'openapi', {
    summary: 'Print the OpenAPI 3.1 document, always as JSON. Needs no database',
    example: 'openapi --url https://api.example.com > openapi.json',
  })
    .option('--url <base>', 'address of the service, without /api/v1; default PUBLIC_URL, else this computer')
    .action(verb(Options, openapi));
}

const Options = z.object({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address, such as https://api.example.com' })
    .transform(withoutEndSlash)
    .optional(),
});

async function openapi({ url }: z.output<typeof Options>, { env }: Io): Promise<Report> {
  // Imported here, as no other command needs them and loading takes long.
  const { appRouter } = await import('../../routers/index.ts');
  const { readOperations } = await import('../../bridge/operations.ts');
  const { createOpenApiDocument } = await import('../../bridge/openapi/document.ts');
  const { offeredScopes } = await import('../../routers/scopes.ts');
  const config = readConfig(env);
  const { publicUrl, port } = config;
  const baseUrl = url ?? publicUrl ?? `http://localhost:${port}`;
  const json = createOpenApiDocument(readOperations(appRouter, offeredScopes(config)), baseUrl);
  return { json, text: JSON.stringify(json, null, 2) };
}
