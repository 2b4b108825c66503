/** `app`: list and revoke the connections of apps that users signed in. */
import { z } from 'zod';
import type { OAuthGrantRecord } from '../../models/oauth/grants.ts';
import {
  addVerb,
  type CliCommand,
  CommandError,
  Email,
  getUser,
  type Io,
  PositiveInteger,
  printable,
  type Report,
  table,
  verb,
  withModels,
} from './command.ts';

const limitMax = 10_000;

export function addAppCommands(program: CliCommand): void {
  const app = program.command('app').description('Apps that users signed in');
  addVerb(app, 'list', {
    summary: 'List connected apps, by user, newest first',
    example: 'app list --email ada@example.com',
  })
    .option('--email <address>', 'only those of this user')
    .option('--limit <number>', `how many to show, at most ${limitMax}`, '50')
    .action(verb(ListOptions, list));
  addVerb(app, 'revoke', {
    summary: 'End a connection at once and permanently, or all connections of an app',
    example: 'app revoke 0b9c3e2a-58e2-4b55-9d6e-2f8f5a1c7e11',
  })
    .argument('<id>', 'the id of the connection, as app list shows it; with --client, a client_id')
    .option('--client', 'end all connections of the app with this client_id')
    .action(verb(RevokeOptions, revoke));
}

const ListOptions = z.object({
  email: Email.optional(),
  limit: PositiveInteger.pipe(z.number().max(limitMax)),
});

const list = ({ email, limit }: z.output<typeof ListOptions>, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
    const now = new Date();
    const grants =
      email === undefined
        ? await models.oauthGrants.listAll(limit, now)
        : (await models.oauthGrants.list((await getUser(models, email))._id, now)).slice(0, limit);
    const apps = grants.map(present);
    const columns = [
      'id',
      'user_id',
      'name',
      'host',
      'client_id',
      'scopes',
      'created_at',
      'last_used_at',
    ] as const;
    return { json: apps, text: table(apps, columns, 'No app is connected.') };
  });

const RevokeOptions = z.object({ id: z.string(), client: z.boolean().default(false) });

const revoke = ({ id, client }: z.output<typeof RevokeOptions>, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
    if (!client) {
      const [ended] = await models.credentials.endGrants([id], 'disconnected');
      if (!ended) throw new CommandError(`there is no connection ${printable(id)}`);
      return { json: { revoked: 1 }, text: `Connection ${printable(id)} was revoked.` };
    }
    await models.oauthClients.delete(id);
    const ids = await models.oauthGrants.listOfClient(id);
    const { length: revoked } = await models.credentials.endGrants(ids, 'disconnected');
    if (revoked === 0) throw new CommandError(`the app ${printable(id)} has no connections`);
    return { json: { revoked }, text: `Connections of ${printable(id)} revoked: ${revoked}.` };
  });

const present = ({ _id, userId, app, ...grant }: OAuthGrantRecord) => ({
  id: _id,
  user_id: userId,
  name: app.name,
  host: app.verifiedHost,
  client_id: app.clientId,
  scopes: grant.scopes,
  created_at: grant.createdAt.toISOString(),
  last_used_at: grant.lastUsedAt?.toISOString() ?? null,
  expires_at: grant.expiresAt.toISOString(),
});
