/** `user` add, list and import; the rest of `user` is in user-account.ts. */
import { z } from 'zod';
import { isTaken } from '../../models/provisioning/store.ts';
import { passwordLengthMin } from '../../routers/schemas/password.ts';
import { toProvisionedUser, UserImportEntry } from '../../routers/schemas/user.ts';
import {
  addVerb,
  type CliCommand,
  CommandError,
  Email,
  type Io,
  newPassword,
  OptionalName,
  PositiveInteger,
  type Report,
  table,
  verb,
  withModels,
} from './command.ts';
import { openImportFile } from './import-file.ts';
import { addAccountCommands, presentUser, refuseTaken } from './user-account.ts';

const importFormat = `
Each line is a JSON object with the fields of PUT /admin/users/{external_id}: external_id and email are required. Fields
that are left out keep their value. The users have no password: they sign in by a sign-in link or single sign-on.`;

export function addUserCommands(program: CliCommand): void {
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
    .option('--support', 'let the user read and answer all tickets')
    .action(verb(addOptions, add));
  addVerb(user, 'list', { summary: 'List all users, oldest first', example: 'user list --json' }).action(
    verb(z.object({}), list),
  );
  addAccountCommands(user);
  addImportCommand(user);
}

function addImportCommand(user: CliCommand): void {
  addVerb(user, 'import', {
    summary:
      'Create or change users by external_id from an NDJSON file; a file with a wrong line changes nothing',
    example: 'user import users.ndjson',
  })
    .argument('<file>', "the file; a relative path starts at the project's directory")
    .addHelpText('after', importFormat)
    .action(verb(z.object({ file: z.string() }), importUsers));
}

const addOptions = (io: Io) =>
  z.object({
    email: Email,
    password: newPassword(io),
    nickname: OptionalName.default(null),
    firstName: OptionalName.default(null),
    lastName: OptionalName.default(null),
    panelUser: PositiveInteger.nullable().default(null),
    chatId: OptionalName.default(null),
    chatUsername: OptionalName.default(null),
    chatAvatarUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2000)
      .nullable()
      .default(null),
    admin: z.boolean().default(false),
    support: z.boolean().default(false),
  });

const add = ({ admin, support, panelUser, ...profile }: z.output<ReturnType<typeof addOptions>>, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
    const newUser = { ...profile, isAdmin: admin, isSupport: support, panelUserId: panelUser };
    const user = await models.users.add(newUser, new Date()).catch(refuseTaken(newUser));
    if (!user) throw new CommandError(`the e-mail address ${profile.email} is taken`);
    return { json: presentUser(user), text: `Added user ${user._id}, ${user.email}.` };
  });

const list = (_options: object, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
    const users = (await models.users.list()).map(presentUser);
    const columns = [
      'id',
      'external_id',
      'email',
      'nickname',
      'admin',
      'support',
      'active',
      'panel_user_id',
      'created_at',
    ] as const;
    return { json: users, text: table(users, columns, 'No users.') };
  });

const mistakes = {
  email_taken: 'email belongs to another user',
  panel_user_taken: 'panel_user_id belongs to another user',
};

async function importUsers({ file }: { file: string }, io: Io): Promise<Report> {
  const importFile = await openImportFile(file, {
    schema: UserImportEntry,
    toEntry: toProvisionedUser,
    uniqueFields: ['external_id', 'email'],
  });
  const states = await withModels(io, (models) => models.provisioning.import(importFile, new Date()));
  const taken = states.flatMap((state, position) => (isTaken(state) ? [[position, state] as const] : []));
  importFile.refuseMistakes(new Map(taken.map(([position, state]) => [position, mistakes[state]])));
  const count = (wanted: string) => states.filter((state) => state === wanted).length;
  const json = { created: count('created'), changed: count('changed'), unchanged: count('unchanged') };
  const { created, changed, unchanged } = json;
  const text = `Imported ${states.length} users: ${created} created, ${changed} changed, ${unchanged} unchanged.`;
  return { json, text };
}
