/** `openapi`: the description of the API without a service or a database, for generators and reviews. */
import type { Command } from 'commander';
import { z } from 'zod';
import { readConfig } from '../config.ts';
import { addVerb, type Report, verb } from './verb.ts';

export function addOpenapiCommand(program: Command): void {
  addVerb(program, 'openapi', {
    summary: 'Print the OpenAPI 3.1 document, always as JSON; PUBLIC_URL sets its server. Needs no database',
    example: 'openapi > openapi.json',
  }).action(verb(z.object({}), openapi));
}

async function openapi(): Promise<Report> {
  // Loaded only here: they take a third of the time of any other command.
  const { appRouter } = await import('../../routers/index.ts');
  const { readCatalogue } = await import('../../bridge/catalogue.ts');
  const { createOpenApiDocument } = await import('../../bridge/openapi.ts');
  const json = createOpenApiDocument(appRouter, readCatalogue(appRouter), readConfig().publicUrl);
  return { json, text: JSON.stringify(json, null, 2) };
}
