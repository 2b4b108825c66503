/** `seed`: adds the demo data to the configured database, once. */
import { z } from 'zod';
import { readConfig } from '../config.ts';
import { demoEmail, demoKeyOf, seedDemo } from '../dev/demo-data.ts';
import { addVerb, type CliCommand, CommandError, type Io, type Report, verb, withModels } from './command.ts';

export function addSeedCommand(program: CliCommand): void {
  addVerb(program, 'seed', {
    summary: 'Add the demo data unless it exists, and print the demo user and key once',
    example: 'seed',
  }).action(verb(z.object({}), seed));
}

async function seed(_options: object, io: Io): Promise<Report> {
  const config = readConfig(io.env);
  if (!config.allowsDemo)
    throw new CommandError('no demo data with NODE_ENV=production (ALLOW_DEMO=true lifts this)');
  const now = new Date();
  const demo = await withModels(io, (models) => seedDemo(models, demoKeyOf(config, now), now));
  if (!demo) return { json: { seeded: false }, text: `The demo data exists already (${demoEmail}).` };
  const { email, password, key } = demo;
  const lines = [
    'Added the demo data. Shown once:',
    `E-mail    ${email}`,
    `Password  ${password}`,
    `Key       ${key}`,
  ];
  return { json: { seeded: true, ...demo }, text: lines.join('\n') };
}
