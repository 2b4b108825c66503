/** `seed`: adds the demo data to the configured database, once. */
import { z } from 'zod';
import type { Models } from '../../models/index.ts';
import { readConfig } from '../config.ts';
import { demoEmail, demoKeyOf, seedDemo } from '../dev/demo-data.ts';
import { type Access, withModels } from './access.ts';
import { command } from './command.ts';
import { CommandError } from './print.ts';

/** @throws {CommandError} in production, before it opens the database */
const withDemoModels: Access<Models> = async (io, work) => {
  if (!readConfig(io.env).allowsDemo)
    throw new CommandError('no demo data with NODE_ENV=production (ALLOW_DEMO=true lifts this)');
  return withModels(io, work);
};

export const seed = command({
  summary: 'Add the demo data unless it exists, and print the demo user and key once',
  example: 'seed',
  options: z.object({}),
  access: withDemoModels,
  async run(models, _options, { env }) {
    const now = new Date();
    const demo = await seedDemo(models, demoKeyOf(readConfig(env), now), now);
    if (!demo) return { json: { seeded: false }, text: `The demo data exists already (${demoEmail}).` };
    const { email, password, key } = demo;
    const text = `Added the demo data. Shown once:\nE-mail    ${email}\nPassword  ${password}\nKey       ${key}`;
    return { json: { seeded: true, ...demo }, text };
  },
});
