/** `user`: add, list, set, import. */
import type { Command } from 'commander';
import { z } from 'zod';
import { passwordLengthMin } from '../../routers/schemas/password.ts';
import { presentAdminUser, toProvisionedUser, UserPutRequest } from '../../routers/schemas/user.ts';
import { notImported, openImportFile } from './import-file.ts';
import { Email, OptionalName, Password, PositiveInteger } from './options.ts';
import { table } from './table.ts';
import { addVerb, CommandError, type Report, verb } from './verb.ts';
import { noUserWith, withModels } from './with-models.ts';

const importFormat = `
Each line is a JSON object with the fields of PUT /admin/users/{external_id}: external_id and email are required. Fields
that are left out keep their value. The users have no password: they sign in by a sign-in link or single sign-on.`;

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('People who own servers, tickets and keys');
  addVerb(user, 'add', {
    summary: 'Add a user; an e-mail address belongs to one user only',
    example: 'user add --email ada@example.com --password - --nickname ada --panel-user 7 < password.txt',
  })
    .requiredOption('--email <address>', 'the e-mail address, whatever its case')
    .requiredOption(
      '--password <password>',
      `at least ${passwordLengthMin} characters; - reads it from standard input, hidden from other users' process lists`,
    )
    .option('--nickname <text>', 'the display name')
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
    summary: 'Change the administrator flag or the panel user; takes effect at once for all keys',
    example: 'user set --email ada@example.com --no-admin --panel-user 8',
  })
    .requiredOption('--email <address>', "the user's e-mail address")
    .option('--admin', 'make the user an administrator')
    .option(
      '--no-admin',
      "take the administrator flag away; admin scopes of the user's keys stop working at once",
    )
    .option('--panel-user <id>', "the user's id in the provisioning panel, or none")
    .action(verb(SetOptions, set));
  addImportCommand(user);
}

function addImportCommand(user: Command): void {
  addVerb(user, 'import', {
    summary:
      'Create or change users by external_id from an NDJSON file; a file with a wrong line changes nothing',
    example: 'user import users.ndjson',
  })
    .argument('<file>', "the file; a relative path starts at the project's directory")
    .addHelpText('after', importFormat)
    .action(verb(z.object({ file: z.string() }), importUsers));
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
    return { json: presentAdminUser(user), text: `Added user ${user._id}, ${user.email}.` };
  });

const list = () =>
  withModels(async (models): Promise<Report> => {
    const users = (await models.users.list()).map(presentAdminUser);
    const columns = [
      'id',
      'external_id',
      'email',
      'nickname',
      'admin',
      'active',
      'panel_user_id',
      'created_at',
    ] as const;
    return { json: users, text: table(users, columns, 'No users.') };
  });

const set = ({ email, admin, panelUser }: z.output<typeof SetOptions>) =>
  withModels(async (models): Promise<Report> => {
    const user = await models.users.change(email, {
      ...(admin !== undefined && { isAdmin: admin }),
      ...(panelUser !== undefined && { panelUserId: panelUser }),
    });
    if (!user) throw noUserWith(email);
    const role = user.isAdmin ? 'an administrator' : 'no administrator';
    const text = `${user.email} is ${role}, with ${user.panelUserId ? `panel user ${user.panelUserId}` : 'no panel user'}.`;
    return { json: presentAdminUser(user), text };
  });

async function importUsers({ file }: { file: string }): Promise<Report> {
  const { readBatches, lineOf } = await openImportFile(file, {
    schema: UserPutRequest,
    toEntry: toProvisionedUser,
    uniqueFields: ['external_id', 'email'],
  });
  const states = await withModels((models) => models.provisioning.import(readBatches, new Date()));
  const mistakes = states.flatMap((state, index) =>
    state === 'email_taken' ? [`line ${lineOf(index)}: email belongs to another user`] : [],
  );
  if (mistakes.length > 0) throw notImported(file, mistakes);
  const count = (wanted: string) => states.filter((state) => state === wanted).length;
  const json = { created: count('created'), changed: count('changed'), unchanged: count('unchanged') };
  const { created, changed, unchanged } = json;
  const text = `Imported ${states.length} users: ${created} created, ${changed} changed, ${unchanged} unchanged.`;
  return { json, text };
}
