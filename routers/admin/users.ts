/** Users as the host's own system provisions them: put, suspend, get, list. */
import { z } from 'zod';
import { badRequest, emailTaken, notFound } from '../errors.ts';
import { findPanelUserId } from '../panel-user.ts';
import { presentMoment } from '../schemas/common.ts';
import {
  AdminUser,
  presentAdminUser,
  SignInLink,
  toProvisionedUser,
  UserListQuery,
  UserPutRequest,
  UserQuery,
} from '../schemas/user.ts';
import { endpoint } from '../trpc.ts';

export const adminUsers = {
  putUser: endpoint({
    scope: 'admin:users',
    status: 200,
    canCreate: true,
    openapi: {
      method: 'PUT',
      path: '/admin/users/{external_id}',
      tags: ['Admin'],
      summary: 'Create or change a user',
      description:
        'Creates a user, or changes the given fields; repeating the request changes nothing. `active: false` suspends: ' +
        'every key of the user is refused and every session ends immediately. `active: true` restores the same keys.',
    },
    refusals: {
      bad_request: 'A field is missing, empty, too long or unknown.',
      conflict: 'The e-mail address belongs to another user.',
    },
  })
    .input(UserPutRequest)
    .output(z.object({ user: AdminUser }))
    .mutation(async ({ ctx, input }) => {
      const outcome = await ctx.models.provisioning.put(toProvisionedUser(input), new Date(ctx.clock()));
      if (outcome.state === 'email_taken') throw emailTaken();
      if (outcome.state === 'created') ctx.onCreated?.();
      // A panel that is away must not fail the call: it is asked again when the user's servers are.
      const panelUserId = await findPanelUserId(ctx, outcome.user).catch(() => null);
      return { user: presentAdminUser({ ...outcome.user, panelUserId }) };
    }),

  getUser: endpoint({
    scope: 'admin:users',
    status: 200,
    openapi: {
      method: 'GET',
      path: '/admin/users/{external_id}',
      tags: ['Admin'],
      summary: 'Get a user',
      description: 'Shows the user with this external_id.',
    },
    refusals: { not_found: { when: 'No user has this external_id.', message: 'User not found' } },
  })
    .input(UserQuery)
    .output(z.object({ user: AdminUser }))
    .query(async ({ ctx, input }) => {
      const user = await ctx.models.users.findByExternalId(input.external_id);
      if (!user) throw notFound('User');
      return { user: presentAdminUser(user) };
    }),

  createSignInLink: endpoint({
    scope: 'admin:users',
    status: 201,
    hasSecretOutput: true,
    openapi: {
      method: 'POST',
      path: '/admin/users/{external_id}/sign-in-link',
      tags: ['Admin'],
      summary: 'Create a sign-in link',
      description:
        'Creates an address that signs the user in to the account page, once, within 60 seconds, by the button on the page ' +
        'it opens. Redirect the user to it, and do not store it. An Idempotency-Key is ignored: each call creates a link.',
    },
    refusals: {
      bad_request: 'The user is suspended.',
      not_found: { when: 'No user has this external_id.', message: 'User not found' },
    },
  })
    .input(UserQuery)
    .output(SignInLink)
    .mutation(async ({ ctx, input }) => {
      const user = await ctx.models.users.findByExternalId(input.external_id);
      if (!user) throw notFound('User');
      if (!user.isActive) throw badRequest('The user is suspended');
      const { token, expiresAt } = await ctx.models.signInLinks.create(user._id, new Date(ctx.clock()));
      // In the fragment, which browsers send to no server, so that no log has the token.
      return { url: `${ctx.baseUrl()}/account/link#${token}`, expires_at: presentMoment(expiresAt) };
    }),

  listUsers: endpoint({
    scope: 'admin:users',
    status: 200,
    openapi: {
      method: 'GET',
      path: '/admin/users',
      tags: ['Admin'],
      summary: 'List users',
      description: 'Lists users by id, a page at a time: send the last id as `after` while has_more is true.',
    },
    refusals: { bad_request: 'A query parameter is not valid.' },
  })
    .input(UserListQuery)
    .output(z.object({ users: z.array(AdminUser), has_more: z.boolean() }))
    .query(async ({ ctx, input: { email, active: isActive, after, limit } }) => {
      const users = await ctx.models.users.listPage({ email, isActive, after, limit: limit + 1 });
      return { users: users.slice(0, limit).map(presentAdminUser), has_more: users.length > limit };
    }),
};
