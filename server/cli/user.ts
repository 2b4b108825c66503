/** `user` add, list and import; the rest of `user` is in user-account.ts. */
import { z } from 'zod';
import { passwordLengthMin } from '../../models/bounds.ts';
import { isTaken } from '../../models/provisioning/store.ts';
import { OptionalName, toProvisionedUser, UserImportEntry } from '../../routers/schemas/user.ts';
import type { Io } from './access.ts';
import { command, list, noun } from './command.ts';
import { CommandError } from './command-error.ts';
import { importFile } from './import-file.ts';
import { Email, Flag, newPassword, orNull, PositiveInteger } from './option.ts';
import { accountCommands, presentUser, refuseTaken } from './user-account.ts';

const PictureUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2000);

const OptionalText = OptionalName.default(null);

const addOptions = (io: Io) =>
  z.object({
    email: Email.describe('<address> the e-mail address, whatever its case'),
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

const mistakes = {
  email_taken: 'email belongs to another user',
  panel_user_taken: 'panel_user_id belongs to another user',
};

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
  list: list({
    summary: 'List all users, oldest first',
    example: 'user list --json',
    options: z.object({}),
    run: async (models) => (await models.users.list()).map(presentUser),
    columns: [
      'id',
      'external_id',
      'email',
      'nickname',
      'admin',
      'support',
      'active',
      'panel_user_id',
      'created_at',
    ],
    empty: 'No users.',
  }),
  ...accountCommands,
  import: command({
    summary:
      'Create or change users by external_id from an NDJSON file; a file with a wrong line changes nothing',
    example: 'user import users.ndjson',
    notes: `
Each line is a JSON object with the fields of PUT /admin/users/{external_id}: external_id and email are required. Fields
that are left out keep their value. The users have no password: they sign in by a sign-in link or single sign-on.`,
    options: z.object({
      file: importFile({
        schema: UserImportEntry,
        toEntry: toProvisionedUser,
        uniqueFields: ['external_id', 'email'],
      }),
    }),
    async run(models, { file }) {
      const states = await models.provisioning.import(file, new Date());
      const taken = states.flatMap((state, position) => (isTaken(state) ? [[position, state] as const] : []));
      file.refuseMistakes(new Map(taken.map(([position, state]) => [position, mistakes[state]])));
      const count = (wanted: string) => states.filter((state) => state === wanted).length;
      const json = { created: count('created'), changed: count('changed'), unchanged: count('unchanged') };
      const counts = `${json.created} created, ${json.changed} changed, ${json.unchanged} unchanged`;
      return { json, text: `Imported ${states.length} users: ${counts}.` };
    },
  }),
});
