/** `user`: add, list, set. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { UserRecord } from '../../models/user.ts';
import { presentMe } from '../../routers/shapes/me.ts';
import { Email, OptionalName, Password, PositiveInteger, passwordMinLength } from './options.ts';
import { table } from './table.ts';
import { addVerb, CommandError, type Report, verb } from './verb.ts';
import { nobodyHas, withModels } from './with-models.ts';

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('People who own servers, tickets and keys');
  addVerb(user, 'add', {
    summary: 'Add a user; an e-mail address belongs to one user only',
    example: 'user add --email ada@example.com --password - --nickname ada --panel-user 7 < password.txt',
  })
    .requiredOption('--email <address>', 'the e-mail address, whatever its case')
    .requiredOption(
      '--password <password>',
      `at least ${passwordMinLength} characters; - reads it from standard input, hidden from other users' process lists`,
    )
    .option('--nickname <text>', 'the name others see')
    .option('--first-name <text>', 'the first name')
    .option('--last-name <text>', 'the last name')
    .option(
      '--panel-user <id>',
      "the user's id in the provisioning panel; without it the user has no servers",
    )
    .option('--chat-id <text>', "id of the linked chat platform's account")
    .option('--chat-username <text>', "name of the linked chat platform's account")
    .option('--chat-avatar-url <url>', "picture of the linked chat platform's account, http or https")
    .option('--admin', 'make the user an administrator')
    .action(verb(AddOptions, add));
  addVerb(user, 'list', { summary: 'List all users, oldest first', example: 'user list --json' }).action(
    verb(z.object({}), list),
  );
  addVerb(user, 'set', {
    summary: 'Change what an operator may change of a user, at once for all keys',
    example: 'user set --email ada@example.com --no-admin --panel-user 8',
  })
    .requiredOption('--email <address>', 'whom to change')
    .option('--admin', 'make the user an administrator')
    .option(
      '--no-admin',
      "make the user no administrator; admin scopes of the user's keys are void from now on",
    )
    .option('--panel-user <id>', "the user's id in the provisioning panel, or none")
    .action(verb(SetOptions, set));
}

const AddOptions = z.object({
  email: Email,
  password: Password,
  nickname: OptionalName,
  firstName: OptionalName,
  lastName: OptionalName,
  panelUser: PositiveInteger.nullable().default(null),
  chatId: OptionalName,
  chatUsername: OptionalName,
  chatAvatarUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(2000)
    .nullable()
    .default(null),
  admin: z.boolean().default(false),
});

const SetOptions = z
  .object({
    email: Email,
    admin: z.boolean().optional(),
    panelUser: z
      .string()
      .transform((value) => (value === 'none' ? null : value))
      .pipe(PositiveInteger.nullable())
      .optional(),
  })
  .refine(({ admin, panelUser }) => admin !== undefined || panelUser !== undefined, {
    error: 'give at least one of --admin, --no-admin, --panel-user',
  });

const add = ({ admin, panelUser, ...profile }: z.output<typeof AddOptions>) =>
  withModels(async (models): Promise<Report> => {
    const user = await models.users.add({ ...profile, isAdmin: admin, panelUserId: panelUser }, new Date());
    if (!user) throw new CommandError(`the e-mail address ${profile.email} is taken`);
    return { json: present(user), text: `Added user ${user._id}, ${user.email}.` };
  });

const list = () =>
  withModels(async (models): Promise<Report> => {
    const users = (await models.users.list()).map(present);
    const columns = ['id', 'email', 'nickname', 'admin', 'panel_user_id', 'created_at'] as const;
    return { json: users, text: table(users, columns, 'No users.') };
  });

const set = ({ email, admin, panelUser }: z.output<typeof SetOptions>) =>
  withModels(async (models): Promise<Report> => {
    const user = await models.users.change(email, {
      ...(admin !== undefined && { isAdmin: admin }),
      ...(panelUser !== undefined && { panelUserId: panelUser }),
    });
    if (!user) throw nobodyHas(email);
    const standing = user.isAdmin ? 'an administrator' : 'no administrator';
    const text = `${user.email} is ${standing}, with ${user.panelUserId ? `panel user ${user.panelUserId}` : 'no panel user'}.`;
    return { json: present(user), text };
  });

/** The profile as the public API shows it, and what only operators see. */
const present = (user: UserRecord) => ({
  ...presentMe(user),
  panel_user_id: user.panelUserId,
  created_at: user.createdAt.toISOString(),
});
