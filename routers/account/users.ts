/** Administrators see users on the account page with their role, and each with what belongs to it. */
import { z } from 'zod';
import { pageSizeMax } from '../../models/bounds.ts';
import { readUserPage } from '../admin/users.ts';
import type { SessionContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { dateTime, integer } from '../schemas/common.ts';
import { OwnKey, presentOwnKey } from '../schemas/key.ts';
import { createPick } from '../schemas/pick.ts';
import { presentSubscription, Subscription } from '../schemas/subscription.ts';
import { AdminUser, presentAdminUser, UserListQuery } from '../schemas/user.ts';
import { presentTicketDetail, TicketDetail } from '../tickets/conversation-schema.ts';
import { sessionProcedure } from '../trpc.ts';

/** How many of the newest tickets the page of a user shows. */
const ticketsMax = 10;

const UserWithRole = AdminUser.extend({ support: z.boolean() });

const UserKey = OwnKey.pick({
  id: true,
  name: true,
  prefix: true,
  scopes: true,
  created_at: true,
  expires_at: true,
  last_used_at: true,
});

const UserApp = z.object({
  id: z.string(),
  name: z.string(),
  created_at: dateTime,
  last_used_at: dateTime.nullable(),
});

export const UserDetails = z.object({
  active: z.boolean().describe('False while suspended.'),
  support: z.boolean(),
  last_sign_in_at: dateTime.nullable().describe('Null: none since the service records it.'),
  keys: z.array(UserKey).describe('The live ones.'),
  apps: z.array(UserApp),
  tickets: z.array(TicketDetail).describe(`The newest ${ticketsMax}.`),
  subscriptions: z.array(Subscription),
});

const pickApp = createPick(UserApp);

const adminProcedure = sessionProcedure.meta({ adminScope: 'admin:users' });

export const accountUsers = {
  listUsers: adminProcedure
    .input(UserListQuery)
    .output(z.object({ users: z.array(UserWithRole), has_more: z.boolean() }))
    .query(async ({ ctx, input }) => {
      const { entries, hasMore } = await readUserPage(ctx, input);
      const users = entries.map((user) => ({ ...presentAdminUser(user), support: user.isSupport }));
      return { users, has_more: hasMore };
    }),

  getUserDetails: adminProcedure
    .input(z.strictObject({ user_id: integer(1) }))
    .output(UserDetails)
    .query(({ ctx, input: { user_id } }) => readUserDetails(ctx, user_id)),
};

/** For administrators, and for the support desk next to a ticket of the user. */
export async function readUserDetails(
  { models, clock, offeredScopes }: SessionContext,
  userId: number,
): Promise<z.infer<typeof UserDetails>> {
  const now = new Date(clock());
  const user = await models.users.find(userId);
  if (!user) throw notFound('User');
  const [keys, grants, tickets, subscriptions] = await Promise.all([
    models.apiKeys.listLive(userId, now),
    models.oauthGrants.list(userId, now),
    models.tickets.searchDetails({ userId, limit: ticketsMax }),
    models.subscriptions.list(userId),
  ]);
  return {
    active: user.isActive,
    support: user.isSupport,
    last_sign_in_at: user.lastSignInAt?.toISOString() ?? null,
    keys: keys.map((key) => presentOwnKey(key, now, offeredScopes)),
    apps: grants.map((grant) => ({ ...pickApp(grant), name: grant.app.name })),
    tickets: tickets.map(presentTicketDetail),
    subscriptions: subscriptions.slice(0, pageSizeMax).map(presentSubscription),
  };
}
