/** `seed`: the demo data, once, into whatever database the settings name. */
import type { Command } from 'commander';
import { z } from 'zod';
import { readConfig } from '../config.ts';
import { demoEmail, seedDemo } from '../seed.ts';
import { addVerb, CommandError, type Report, verb } from './verb.ts';
import { withModels } from './with-models.ts';

export function addSeedCommand(program: Command): void {
  addVerb(program, 'seed', {
    summary: 'Add the demo data unless it is there, and print the demo user and key this once',
    example: 'seed',
  }).action(verb(z.object({}), seed));
}

async function seed(): Promise<Report> {
  if (!readConfig().allowsDemo)
    throw new CommandError('no demo data with NODE_ENV=production (ALLOW_DEMO=true lifts this)');
  const demo = await withModels((models) => seedDemo(models, new Date()));
  if (!demo) return { json: { seeded: false }, text: `The demo data is there already (${demoEmail}).` };
  const { email, password, key } = demo;
  const lines = [
    'Added the demo data. Shown this once:',
    `E-mail    ${email}`,
    `Password  ${password}`,
    `Key       ${key}`,
  ];
  return { json: { seeded: true, ...demo }, text: lines.join('\n') };
}
