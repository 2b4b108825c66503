/** `app`: list and revoke users' connections to apps. */
import { z } from 'zod';
import type { OAuthGrantRecord } from '../../models/oauth/grants.ts';
import { getUser } from './access.ts';
import { command, list, noun } from './command.ts';
import { Argument, Email, Flag, limit } from './option.ts';
import { CommandError, printable } from './print.ts';

export const app = noun('Apps that users have connected', {
  list: list({
    summary: 'List connected apps, by user, newest first',
    example: 'app list --email ada@example.com',
    options: z.object({
      email: Email.optional().describe('<address> only those of this user'),
      limit: limit(10_000),
    }),
    async run(models, { email, limit }) {
      const now = new Date();
      if (email === undefined) return (await models.oauthGrants.listAll(limit, now)).map(presentConnection);
      const { _id } = await getUser(models, email);
      return (await models.oauthGrants.list(_id, now)).slice(0, limit).map(presentConnection);
    },
    columns: ['id', 'user_id', 'name', 'host', 'client_id', 'scopes', 'created_at', 'last_used_at'],
    empty: 'No app is connected.',
  }),
  revoke: command({
    summary: 'End a connection at once and permanently, or all connections of an app',
    example: 'app revoke 0b9c3e2a-58e2-4b55-9d6e-2f8f5a1c7e11',
    options: z.object({
      id: Argument.describe('the id of the connection, as app list shows it; with --client, a client_id'),
      client: Flag.describe('end all connections of the app with this client_id'),
    }),
    async run(models, { id, client }) {
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
    },
  }),
});

const presentConnection = ({ _id, userId, app, ...grant }: OAuthGrantRecord) => ({
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
