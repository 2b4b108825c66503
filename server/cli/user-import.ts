/** `user import`: imports users from a file, all or none, or from the panel, page by page. */
import { z } from 'zod';
import type { Models } from '../../models/index.ts';
import { isTaken, type PanelCustomer } from '../../models/provisioning/store.ts';
import { ExternalId, OptionalName, toProvisionedUser, UserImportEntry } from '../../routers/schemas/user.ts';
import { formatZodError } from '../../routers/support/format-zod-error.ts';
import { readConfig } from '../config.ts';
import { describeFailure, PanelFailure } from '../panel/failures.ts';
import { type MalformedUser, type PanelUserPage, readPanelUsers } from '../panel/panel-users.ts';
import { type Io, openPanelSettings, printProgressTo } from './access.ts';
import { command, type Report } from './command.ts';
import { importFile, listMistakes } from './import-file.ts';
import { Email, Flag } from './option.ts';
import { CommandError, printable } from './print.ts';
import { describeInvited, inviteAll, PerMinute, requireMail } from './user-invite.ts';

const usersFile = importFile({
  schema: UserImportEntry,
  toEntry: toProvisionedUser,
  uniqueFields: ['external_id', 'email'],
});

const importOptions = z
  .object({
    file: usersFile.optional().meta({ isArgument: true, description: 'the file, with one user per line' }),
    fromPanel: Flag.describe('add a user for each customer of the panel instead, by its id there'),
    dryRun: Flag.describe('with --from-panel: print what would change, and change nothing'),
    invite: Flag.describe(
      'with --from-panel: then mail a link to users of the panel who have never signed in',
    ),
    perMinute: PerMinute,
  })
  .refine(({ file, fromPanel }) => (file === undefined) === fromPanel, {
    error: 'give either a file or --from-panel',
  })
  .refine(({ fromPanel, dryRun }) => fromPanel || !dryRun, { error: '--dry-run needs --from-panel' })
  .refine(({ fromPanel, dryRun, invite }) => !invite || (fromPanel && !dryRun), {
    error: '--invite needs --from-panel, without --dry-run',
  });

export const importUsers = command({
  summary: 'Create or change users from an NDJSON file, by external_id, or add those of the panel',
  example: 'user import --from-panel --dry-run',
  notes: `
Each line of a file is a JSON object with the fields of PUT /admin/users/{external_id}: external_id and email are required.
Fields that are left out keep their value. A file with a wrong line changes nothing.

--from-panel reads all users of the panel at PANEL_URL, with their names, address and external id. It leaves out root
administrators and customers who already have a user. A conflict is an address or external id that another user has, or an invalid
field. If there are conflicts, it lists them (the first five of equal mistakes, and how many more there are) and ends with exit
code 1. If it stops, run it again to continue.

The users have no password: they sign in by a link or single sign-on. --invite mails each a link, as user invite --all does, even
after conflicts.`,
  options: importOptions,
  async run(models, { file, dryRun, invite, perMinute }, io) {
    if (file) return importFromFile(models, file);
    if (invite) await requireMail(models);
    const report = await importFromPanel(models, io, dryRun);
    if (!invite) return report;
    const invited = await inviteAll(models, io, { perMinute, hasPanelUser: true });
    const text = `${report.text}\n${describeInvited(invited)}`;
    return { ...report, json: { ...report.json, invited }, text };
  },
});

const takenMessages = {
  email_taken: 'email belongs to another user',
  panel_user_taken: 'panel_user_id belongs to another user',
  external_id_taken: 'external_id belongs to another user',
};

async function importFromFile(models: Models, file: z.output<typeof usersFile>): Promise<Report> {
  const states = await models.provisioning.import(file, new Date());
  const taken = states.flatMap((state, position) => (isTaken(state) ? [[position, state] as const] : []));
  file.refuseMistakes(new Map(taken.map(([position, state]) => [position, takenMessages[state]])));
  const count = (wanted: string) => states.filter((state) => state === wanted).length;
  const json = { created: count('created'), changed: count('changed'), unchanged: count('unchanged') };
  const counts = `${json.created} created, ${json.changed} changed, ${json.unchanged} unchanged`;
  return { json, text: `Imported ${states.length} users: ${counts}.` };
}

interface UserReference {
  panel_user_id: number | null;
  email: string;
}

interface ImportResult {
  created: UserReference[];
  known: number;
  root_administrators: number;
  conflicts: (UserReference & { reason: string })[];
}

const pagesPerLine = 10;

async function importFromPanel(models: Models, io: Io, isDryRun: boolean) {
  const settings = openPanelSettings(readConfig(io.env).panel);
  const imported: ImportResult = { created: [], known: 0, root_administrators: 0, conflicts: [] };
  let lastPage: PanelUserPage | null = null;
  try {
    for await (lastPage of readPanelUsers(settings)) {
      await importPage(models, lastPage, { imported, isDryRun });
      const { page, pageCount, total } = lastPage;
      if (page % pagesPerLine === 0 || page === pageCount)
        printProgressTo(io)(`Page ${page} of ${pageCount} is read; the panel has ${total} users.`);
    }
  } catch (failure) {
    if (!(failure instanceof PanelFailure)) throw failure;
    const { page, pageCount } = lastPage ?? { page: 0, pageCount: 'all' };
    const stopped = `stopped after page ${page} of ${pageCount}; run it again to continue`;
    throw new CommandError(`${describeFailure(failure, 'PANEL_APPLICATION_KEY')} (${stopped})`, {
      cause: failure,
    });
  }
  imported.conflicts.sort((first, second) => (first.panel_user_id ?? 0) - (second.panel_user_id ?? 0));
  return reportImport(imported, isDryRun);
}

async function importPage(
  models: Models,
  { users, malformed }: PanelUserPage,
  { imported, isDryRun }: { imported: ImportResult; isDryRun: boolean },
): Promise<void> {
  const addConflict = (user: Pick<MalformedUser, 'panelUserId' | 'email'>, reason: string) =>
    void imported.conflicts.push({ ...referenceTo(user), reason });
  for (const { reason, ...user } of malformed) addConflict(user, reason);
  const customers: PanelCustomer[] = [];
  for (const user of users) {
    const parsed = Customer.safeParse(user);
    if (user.root_admin) imported.root_administrators += 1;
    else if (parsed.success) customers.push(parsed.data);
    else addConflict({ panelUserId: user.id, email: user.email }, formatZodError(parsed.error));
  }
  const states = await models.provisioning.adoptPanelUsers(customers, { now: new Date(), isDryRun });
  for (const [position, customer] of customers.entries()) {
    const state = states[position];
    if (state === 'created') imported.created.push(referenceTo(customer));
    else if (state === 'known') imported.known += 1;
    else if (state) addConflict(customer, takenMessages[state]);
  }
}

/** Applies the bounds of our own users. Some panels have no first names, so the user name becomes the nickname. */
const Customer = z
  .object({
    id: z.int().min(1),
    email: Email,
    external_id: z
      .string()
      .nullable()
      .transform((id) => id || null)
      .pipe(ExternalId.nullable()),
    first_name: OptionalName.catch(null),
    last_name: OptionalName.catch(null),
    username: OptionalName.catch(null),
  })
  .transform(
    ({ id, email, external_id, first_name, last_name, username }): PanelCustomer => ({
      panelUserId: id,
      email,
      externalId: external_id,
      firstName: first_name,
      lastName: last_name,
      nickname: first_name === null ? username : null,
    }),
  );

const referenceTo = ({
  panelUserId,
  email,
}: Pick<MalformedUser, 'panelUserId' | 'email'>): UserReference => ({
  panel_user_id: panelUserId,
  email,
});

function reportImport({ created, known, root_administrators, conflicts }: ImportResult, isDryRun: boolean) {
  const line = ({ panel_user_id: id, email }: UserReference) =>
    `panel user ${id ?? 'without an id'}${email && `, ${printable(email)}`}`;
  const counts = [
    `${created.length} ${isDryRun ? 'would be created' : 'created'}`,
    `${known} known already`,
    `${root_administrators} left out as root administrators`,
    `${conflicts.length} in conflict`,
  ];
  const text = [
    ...(isDryRun ? created.map((user) => `would create ${line(user)}`) : []),
    ...listMistakes(
      conflicts.map((user) => ({ where: `conflict: ${line(user)}: `, what: printable(user.reason) })),
    ),
    `Users of the panel: ${counts.join(', ')}.`,
  ];
  const shown = isDryRun ? { would_create: created } : { created: created.length };
  return {
    json: { ...shown, known, root_administrators, conflicts },
    text: text.join('\n'),
    hasFailed: conflicts.length > 0,
  };
}
