/** `user` add and list. The other commands of `user` are in user-account.ts, user-import.ts and user-invite.ts. */
import { z } from 'zod';
import { passwordLengthMin } from '../../models/bounds.ts';
import { OptionalName } from '../../routers/schemas/user.ts';
import type { Io } from './access.ts';
import { command, noun } from './command.ts';
import { Email, Flag, limit, newPassword, orNull, PositiveInteger, WholeNumber } from './option.ts';
import { type Column, CommandError, table } from './print.ts';
import { accountCommands, presentUser, refuseTaken } from './user-account.ts';
import { importUsers } from './user-import.ts';
import { inviteUsers } from './user-invite.ts';

const PictureUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2000);

const OptionalText = OptionalName.default(null);

const addOptions = (io: Io) =>
  z.object({
    email: Email.describe('<address> the e-mail address; upper and lower case do not differ'),
    password: newPassword(io).describe(
      `<password> at least ${passwordLengthMin} characters; - reads it from standard input, hidden from other users' process lists`,
    ),
    nickname: OptionalText.describe('<text> the display name'),
    firstName: OptionalText.describe('<text> the first name'),
    lastName: OptionalText.describe('<text> the last name'),
    panelUser: orNull(PositiveInteger).describe(
      "<id> the user's id in the provisioning panel; without it the user has no servers",
    ),
    chatId: OptionalText.describe("<text> id of the linked chat platform's account"),
    chatUsername: OptionalText.describe("<text> name of the linked chat platform's account"),
    chatAvatarUrl: orNull(PictureUrl).describe(
      "<url> picture of the linked chat platform's account, http or https",
    ),
    admin: Flag.describe('make the user an administrator'),
    support: Flag.describe('let the user read and answer all tickets'),
  });

const roles = ['admin', 'support', 'customer'] as const;

const columns: Column<ReturnType<typeof presentUser>>[] = [
  ...(['id', 'external_id', 'email', 'nickname', 'admin', 'support', 'active'] as const),
  ...(['has_second_factor', 'panel_user_id', 'created_at'] as const),
];

export const user = noun('People who own servers, tickets and keys', {
  add: command({
    summary: 'Add a user; an e-mail address belongs to one user only',
    example: 'user add --email ada@example.com --password - --nickname ada --panel-user 7 < password.txt',
    options: addOptions,
    async run(models, { admin, support, panelUser, ...profile }) {
      const newUser = { ...profile, isAdmin: admin, isSupport: support, panelUserId: panelUser };
      const user = await models.users.add(newUser, new Date()).catch(refuseTaken(newUser));
      if (!user) throw new CommandError(`the e-mail address ${profile.email} is taken`);
      return { json: presentUser(user), text: `Added user ${user._id}, ${user.email}.` };
    },
  }),
  list: command({
    summary: 'List users who match all given options, oldest first',
    example: 'user list --email example.com --role customer --never-signed-in',
    options: z.object({
      email: z.string().min(1).optional().describe('<text> only users whose address contains it'),
      search: z
        .string()
        .min(1)
        .optional()
        .describe('<words> only users with each word in the address, the external id or a name'),
      role: z
        .enum(roles)
        .optional()
        .describe(`<role> only users with this role: ${roles.join(', ')}`),
      suspended: z.boolean().optional().meta({
        description: 'only suspended users',
        negated: 'only users who are not suspended',
      }),
      neverSignedIn: Flag.describe('only users who have never signed in to the account page'),
      after: WholeNumber.prefault('0').describe(
        '<id> only users with higher ids; for the next page, give the last id',
      ),
      limit: limit(10_000),
    }),
    async run(models, { email, suspended, neverSignedIn, after, limit, ...filter }) {
      const wanted = {
        ...{ ...filter, emailPart: email },
        isActive: suspended === undefined ? undefined : !suspended,
        hasNeverSignedIn: neverSignedIn || undefined,
      };
      const found = await models.users.listPage({ ...wanted, after, limit: limit + 1 });
      const users = found.slice(0, limit).map(presentUser);
      const more =
        found.length > limit
          ? `\n${limit} of ${await models.users.count(wanted)} shown. More: --after ${users.at(-1)?.id}`
          : '';
      return { json: users, text: table(users, columns, 'No users.') + more };
    },
  }),
  ...accountCommands,
  invite: inviteUsers,
  import: importUsers,
});
