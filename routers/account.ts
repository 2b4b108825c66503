/** The key owner's profile. */
import { z } from 'zod';
import { notFound } from './errors.ts';
import { NoInput } from './schemas/common.ts';
import { Me, presentMe } from './schemas/me.ts';
import { endpoint, router } from './trpc.ts';

export const accountRouter = router({
  me: endpoint({
    route: 'GET /me',
    scope: 'read:account',
    tag: 'Account',
    summary: 'Get my profile',
    description:
      "Shows the key owner's profile. Use it to find out whose account a key belongs to; for the key's scopes and limit, get the key.",
    refusals: { missing: ['User'], not_found: "The key's owner no longer exists." },
    tool: {
      name: 'get_my_profile',
      description: 'Shows whose account this is: name, e-mail address and linked chat account.',
    },
  })
    .input(NoInput)
    .output(z.object({ user: Me }))
    .query(async ({ ctx }) => {
      const user = await ctx.models.users.find(ctx.caller.userId);
      if (!user) throw notFound('User');
      return { user: presentMe(user) };
    }),
});
