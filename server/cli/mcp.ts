/** `mcp`: `server-json` prints what a host sends to the MCP registry, without a service or a database. */
import { z } from 'zod';
import { readConfig } from '../config.ts';
import { type Io, withoutDatabase } from './access.ts';
import { command, noun } from './command.ts';

/** The registry's schema, and the rule of its API that each part begins and ends with a letter or a digit. */
const ServerName = z
  .string()
  .max(200)
  .regex(/^[a-z\d][a-z\d.-]*[a-z\d]\/[a-z\d][a-z\d._-]*[a-z\d]$/i, {
    error: 'must be a domain in reverse, a slash and a name, such as example.games/gamehost',
  });

const options = ({ env }: Io) =>
  z
    .object({ name: ServerName.describe('<name> the name in the registry, such as example.games/gamehost') })
    .refine(() => readConfig(env).publicUrl?.startsWith('https:'), {
      error: 'PUBLIC_URL must be set to an https address, as the MCP registry requires',
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
