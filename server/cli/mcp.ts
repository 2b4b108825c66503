/** `mcp`: `server-json` prints what a host sends to the MCP registry, without a service or a database. */
import { z } from 'zod';
import { readConfig } from '../config.ts';
import { type Io, withoutDatabase } from './access.ts';
import { command, noun } from './command.ts';

/** As the registry's schema has it. */
const ServerName = z
  .string()
  .max(200)
  .regex(/^[a-zA-Z\d.-]+\/[a-zA-Z\d._-]+$/, {
    error: 'must be a domain in reverse, a slash and a name, such as example.games/gamehost',
  });

const options = ({ env }: Io) =>
  z
    .object({ name: ServerName.describe('<name> the name in the registry, such as example.games/gamehost') })
    .refine(() => readConfig(env).publicUrl !== undefined, {
      error: "PUBLIC_URL must be set to the service's address; the registry accepts only https",
    });

export const mcp = noun('The MCP server', {
  'server-json': command({
    summary: 'Print the server.json of this host for the MCP registry. Needs no database',
    example: 'mcp server-json --name example.games/gamehost > server.json',
    options,
    access: withoutDatabase,
    async run(_models, { name }, { env }) {
      // Imported here, because only this command needs these modules, and they load slowly.
      const { describeForRegistry } = await import('../../bridge/discovery/mcp-server.ts');
      const { docsPath } = await import('../../bridge/docs/docs.ts');
      const { accountPrefix: accountPath } = await import('../account/account.ts');
      const { publicUrl = '', brand } = readConfig(env);
      const json = describeForRegistry(name, { brand, baseUrl: publicUrl, docsPath, accountPath });
      return { json, text: JSON.stringify(json, null, 2) };
    },
  }),
});
