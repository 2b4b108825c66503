/** The host's own system provisions users here. It cannot manage staff. */
import { z } from 'zod';
import type { PutResult } from '../../models/provisioning/store.ts';
import { readPage } from '../../models/support/pages.ts';
import type { UserRecord } from '../../models/user.ts';
import type { Context, Transaction } from '../context.ts';
import {
  emailMissing,
  emailTaken,
  mailOff,
  notFound,
  panelUserTaken,
  staffOnCommandLineOnly,
  userSuspended,
} from '../errors.ts';
import { deleteUser } from '../events.ts';
import { canMailLinks, inviteUser } from '../mail-links.ts';
import { Deleted, presentMoment } from '../schemas/common.ts';
import {
  AdminUser,
  InvitationSent,
  parseOwnId,
  presentAdminUser,
  SignInLink,
  toProvisionedUser,
  UserListQuery,
  UserPutRequest,
  UserQuery,
} from '../schemas/user.ts';
import { isStaff } from '../scopes.ts';
import { findPanelUserId, listServersOf } from '../servers/owned-server.ts';
import { presentServer, ServerList } from '../servers/server-schema.ts';
import { runCounted } from '../support/counted.ts';
import { writeOnce } from '../support/write-once.ts';
import { endpoint } from '../trpc.ts';

export const adminUsers = {
  putUser: endpoint({
    route: 'PUT /admin/users/{external_id}',
    undo: 'call',
    scope: 'admin:users',
    canCreate: true,
    tag: 'Admin',
    summary: 'Create or change a user',
    description:
      'Creates a user, or updates the given fields. Use it when a customer signs up with you or changes their details, or to suspend one. It is idempotent. `active: false` suspends the user: ' +
      'every key is refused and every session ends immediately. `active: true` restores the same keys. ' +
      'To undo it, send the previous values, or delete the new user. Administrators and support staff can be changed only on the command line.',
    refusals: {
      bad_request: {
        when: 'A field is missing, empty, too long or unknown.',
        example: emailMissing(),
      },
      missing: ['User'],
      not_found: 'The external_id begins with ~, and no user has the id after it.',
      conflict: {
        when: 'The e-mail address or panel_user_id belongs to another user, or the request would change an administrator or support staff.',
        example: emailTaken(),
      },
    },
  })
    .input(UserPutRequest)
    .output(z.object({ user: AdminUser }))
    .mutation(async ({ ctx, input }) => {
      const wanted = toProvisionedUser(input);
      const stored: { user?: UserRecord } = {};
      const response = await writeOnce(ctx, async (transaction) => {
        const by = { keyId: ctx.caller.keyId || null, transaction };
        const result = await ctx.models.provisioning.put(wanted, new Date(ctx.clock()), by);
        requirePut(result);
        ctx.outcome.isCreated = result.state === 'created';
        stored.user = result.user;
        return { user: presentAdminUser(result.user) };
      });
      const { user } = stored;
      if (!user || isStaff(user)) return response;
      // An unavailable panel must not fail the call: the look-up runs again when the user's servers are requested.
      const panelUserId = await findPanelUserId(ctx, user).catch(() => null);
      return { user: presentAdminUser({ ...user, panelUserId }) };
    }),

  deleteUser: endpoint({
    route: 'DELETE /admin/users/{external_id}',
    undo: 'none',
    scope: 'admin:users',
    tag: 'Admin',
    summary: 'Delete a user',
    description:
      'Deletes a user: keys, sessions, connected apps, webhooks and subscriptions end immediately. Use it when a customer leaves for good; to lock a user out for a time, set `active: false` instead. The tickets stay, as ' +
      'tickets of a deleted user, and so does the audit. Administrators and support staff can be deleted only on the command line.',
    refusals: {
      missing: ['User'],
      conflict: {
        when: 'The user is an administrator or support staff.',
        example: staffOnCommandLineOnly('are deleted'),
      },
    },
  })
    .input(UserQuery)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      const user = await getUserByPath(ctx, input.external_id);
      if (isStaff(user)) throw staffOnCommandLineOnly('are deleted');
      return writeOnce(ctx, async (transaction) => {
        if (!(await deleteUser(ctx, user._id, transaction))) throw notFound('User');
        return { deleted: true as const };
      });
    }),

  getUser: endpoint({
    route: 'GET /admin/users/{external_id}',
    scope: 'admin:users',
    tag: 'Admin',
    summary: 'Get a user',
    description:
      'Shows a user. Use it to check what is stored for the external_id, such as the user of the provisioning panel; to search, list users.',
    refusals: { missing: ['User'] },
  })
    .input(UserQuery)
    .output(z.object({ user: AdminUser }))
    .query(async ({ ctx, input }) => {
      const user = await getUserByPath(ctx, input.external_id);
      return { user: presentAdminUser(user) };
    }),

  listUserServers: endpoint({
    route: 'GET /admin/users/{external_id}/servers',
    scope: 'admin:users',
    slot: 'panel',
    tag: 'Admin',
    summary: 'List the servers of a user',
    description:
      "Lists the user's game servers as the provisioning panel has them now. Use it to help a customer, or to check that a new server is assigned to the user.",
    refusals: {
      missing: ['User'],
      upstream_error: 'The provisioning panel failed or did not answer.',
    },
  })
    .input(UserQuery)
    .output(ServerList)
    .query(async ({ ctx, input }) => {
      const user = await getUserByPath(ctx, input.external_id);
      ctx.outcome.ownerId = user._id;
      const servers = await listServersOf(ctx, user, 'list');
      return { servers: servers.map(presentServer), summary: { total: servers.length } };
    }),

  createSignInLink: endpoint({
    route: 'POST /admin/users/{external_id}/sign-in-link',
    undo: 'none',
    scope: 'admin:users',
    status: 201,
    hasSecretOutput: true,
    tag: 'Admin',
    summary: 'Create a sign-in link',
    description:
      'Creates a link that signs the user in to the account page. Use it when a user who is signed in on your site goes to the account page. ' +
      'The link works once, within 60 seconds, by the button on the page that it opens. Redirect the user to it, and do not store it. An Idempotency-Key is ignored: each call creates a new link.',
    refusals: {
      bad_request: { when: 'The user is suspended.', example: userSuspended() },
      missing: ['User'],
      conflict: {
        when: 'The user is an administrator or support staff.',
        example: staffOnCommandLineOnly('get sign-in links'),
      },
    },
  })
    .input(UserQuery)
    .output(SignInLink)
    .mutation(async ({ ctx, input }) => {
      const user = await getUserByPath(ctx, input.external_id);
      if (isStaff(user)) throw staffOnCommandLineOnly('get sign-in links');
      if (!user.isActive) throw userSuspended();
      const { keyId } = ctx.caller;
      const { token, expiresAt } = await ctx.models.signInLinks.create(user._id, new Date(ctx.clock()), {
        keyId,
      });
      // Browsers send no fragment to servers, so no log has the token.
      return { url: `${ctx.baseUrl()}/account/link#${token}`, expires_at: presentMoment(expiresAt) };
    }),

  inviteUser: endpoint({
    route: 'POST /admin/users/{external_id}/invite',
    undo: 'none',
    scope: 'admin:users',
    status: 202,
    tag: 'Admin',
    summary: 'Invite a user by mail',
    description:
      'Creates a link that signs in to the account page, and mails it to the user. Use it after you create a user, who can then set a password. ' +
      'The link works once, within 7 days, by the button on the page that it opens. The page asks a user without a password to set one. The link ends with the key that sent it, or when ' +
      "the user's address changes. An address gets at most 3 links in 15 minutes.",
    refusals: {
      bad_request: {
        when: 'Mail is not configured, or the user is suspended or has turned links by mail off.',
        example: userSuspended(),
      },
      missing: ['User'],
      conflict: {
        when: 'The user is an administrator or support staff.',
        example: staffOnCommandLineOnly('are invited'),
      },
    },
  })
    .input(UserQuery)
    .output(InvitationSent)
    .mutation(async ({ ctx, input }) => {
      const user = await getUserByPath(ctx, input.external_id);
      if (!(await canMailLinks(ctx))) throw mailOff();
      const keyId = ctx.caller.keyId || null;
      const invite = async (transaction: Transaction) => {
        await inviteUser(ctx, user, { keyId, transaction });
        return { sent: true as const };
      };
      return runCounted(ctx.accountLimits.invitation(user.email), () => writeOnce(ctx, invite));
    }),

  listUsers: endpoint({
    route: 'GET /admin/users',
    scope: 'admin:users',
    tag: 'Admin',
    pagination: { list: 'users', parameter: 'after', field: 'id', size: 'limit', more: 'has_more' },
    summary: 'List users',
    description:
      'Lists users by id, a page at a time. Use it to search users by name or address, or to compare them with your own system. For the next page, send the last id as `after` while `has_more` is true.',
    refusals: { bad_request: 'A query parameter is not valid.' },
  })
    .input(UserListQuery)
    .output(
      z.object({
        users: z.array(AdminUser).describe('Sorted by id.'),
        has_more: z.boolean().describe('Whether there are more users.'),
      }),
    )
    .query(async ({ ctx, input }) => {
      const { entries, hasMore } = await readUserPage(ctx, input);
      return { users: entries.map(presentAdminUser), has_more: hasMore };
    }),
};

export const readUserPage = (
  { models }: Context,
  { active: isActive, limit: pageSize, ...filter }: z.output<typeof UserListQuery>,
) => readPage(pageSize, (limit) => models.users.listPage({ ...filter, isActive, limit }));

async function getUserByPath({ models }: Context, name: string): Promise<UserRecord> {
  const id = parseOwnId(name);
  const user = await (id === null ? models.users.findByExternalId(name) : models.users.find(id));
  if (!user) throw notFound('User');
  return user;
}

function requirePut(result: PutResult): asserts result is Extract<PutResult, { user: object }> {
  if (result.state === 'email_taken') throw emailTaken();
  if (result.state === 'panel_user_taken') throw panelUserTaken();
  if (result.state === 'email_missing') throw emailMissing();
  if (result.state === 'missing') throw notFound('User');
  if (result.state === 'staff') throw staffOnCommandLineOnly('are changed');
}
