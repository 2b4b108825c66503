/** `user` set, link, unlink, reset-factors, suspend, resume and delete: changes to one user. */
import { z } from 'zod';
import type { Models } from '../../models/index.ts';
import { minuteMs } from '../../models/support/durations.ts';
import { findTakenField, type UserRecord } from '../../models/user.ts';
import { deleteUser } from '../../routers/events.ts';
import { presentMoment } from '../../routers/schemas/common.ts';
import { ExternalId, presentAdminUser } from '../../routers/schemas/user.ts';
import { isStaff } from '../../routers/scopes.ts';
import { localUrlOf, readConfig } from '../config.ts';
import { getUser, type Io, noUserWith } from './access.ts';
import { command } from './command.ts';
import { atMost, newPassword, OneUser, PositiveInteger } from './option.ts';
import { CommandError } from './print.ts';

const minutesMax = 24 * 60;

const setOptions = (io: Io) =>
  OneUser.extend({
    password: newPassword(io)
      .optional()
      .describe('<password> a new password, which ends all sessions; - reads it from standard input'),
    admin: z.boolean().optional().meta({
      description:
        'make the user an administrator; a new role ends sessions, sign-in links, the password and links to single sign-on',
      negated: "remove the administrator role; admin scopes of the user's keys stop working at once",
    }),
    support: z.boolean().optional().meta({
      description:
        'let the user read and answer all tickets, and issue keys with admin:tickets; ends sessions, links and password as --admin does',
      negated: 'remove that role; admin:tickets stops working at once',
    }),
    externalId: ExternalId.optional().describe(
      "<id> the user's id in your own system, which then provisions this user",
    ),
    panelUser: z
      .union([z.literal('none').transform(() => null), PositiveInteger], {
        error: 'must be a whole number from 1, or none',
      })
      .optional()
      .describe("<id> the user's id in the provisioning panel, or none"),
  }).refine(({ email, ...changes }) => Object.values(changes).some((value) => value !== undefined), {
    error: 'give at least one of --password, --[no-]admin, --[no-]support, --external-id, --panel-user',
  });

export const accountCommands = {
  set: command({
    summary:
      'Change the password, the role, the id in your own system or the panel user, at once for all keys',
    example: 'user set --email ada@example.com --no-admin --support --panel-user 8',
    options: setOptions,
    async run(models, { email, admin, support, externalId, panelUser, password }) {
      const changes = {
        ...(password !== undefined && { password }),
        ...(admin !== undefined && { isAdmin: admin }),
        ...(support !== undefined && { isSupport: support }),
        ...(externalId !== undefined && { externalId }),
        ...(panelUser !== undefined && { panelUserId: panelUser }),
      };
      const user = await models.userAccess.change(email, changes, new Date()).catch(refuseTaken(changes));
      if (!user) throw noUserWith(email);
      const panel = user.panelUserId ? `panel user ${user.panelUserId}` : 'no panel user';
      const text = [`${user.email} is ${roleOf(user)}, with ${panel}.`];
      if (externalId !== undefined) text.push(`The external id is ${externalId}.`);
      if (password !== undefined) text.push('The password is changed; all sessions have ended.');
      if (admin || support) text.push(...staffNotices(user));
      return { json: presentUser(user), text: text.join('\n') };
    },
  }),
  link: command({
    summary: 'Print a link that signs the user in once, for a user who forgot the password or has none',
    example: 'user link --email ada@example.com --minutes 30',
    options: OneUser.extend({
      minutes: atMost(minutesMax)
        .prefault('15')
        .describe(`<number> how long it works, at most ${minutesMax}`),
    }),
    async run(models, { email, minutes }, io) {
      const user = await getUser(models, email);
      if (!user.isActive) throw new CommandError(`${email} is suspended`);
      const lifetimeMs = minutes * minuteMs;
      const { token, expiresAt } = await models.signInLinks.create(user._id, new Date(), { lifetimeMs });
      const url = `${serviceUrl(io)}/account/link#${token}`;
      const text = `Signs in ${email}, once, until ${presentMoment(expiresAt)}. Send it to this person only:\n${url}`;
      return { json: { url, expires_at: presentMoment(expiresAt) }, text };
    },
  }),
  unlink: command({
    summary: 'Unlink a user from single sign-on and end all sessions; the next single sign-on links again',
    example: 'user unlink --email ada@example.com',
    options: OneUser,
    async run(models, { email }) {
      const user = await getUser(models, email);
      const unlinked = await models.userAccess.unlinkIdentities(user._id);
      const next = isStaff(user)
        ? 'The user can link another account with Link in the account menu, while signed in here.'
        : 'The next single sign-on with this verified e-mail address links its account.';
      const text = unlinked === 0 ? 'was not linked to single sign-on' : 'is no longer linked';
      return { json: { unlinked }, text: `${email} ${text}; all sessions have ended. ${next}` };
    },
  }),
  'reset-factors': command({
    summary: 'Remove all second factors of a user who lost them, and end all sessions',
    example: 'user reset-factors --email ada@example.com',
    options: OneUser,
    async run(models, { email }) {
      const { _id } = await getUser(models, email);
      const removed = await models.userAccess.resetFactors(_id, new Date());
      const text = `Removed ${removed} second ${removed === 1 ? 'factor' : 'factors'} of ${email}; all sessions have ended.`;
      return { json: { removed }, text };
    },
  }),
  suspend: command({
    summary: 'Refuse all keys and apps of a user and end all sessions, at once, until resume',
    example: 'user suspend --email ada@example.com',
    options: OneUser,
    run: (models, { email }) => setActive(models, email, false),
  }),
  resume: command({
    summary: 'Let a suspended user sign in again; the same keys and apps work again',
    example: 'user resume --email ada@example.com',
    options: OneUser,
    run: (models, { email }) => setActive(models, email, true),
  }),
  delete: command({
    summary: 'Delete a user with all keys, sessions, apps and webhooks; tickets and the audit stay',
    example: 'user delete --email ada@example.com',
    options: OneUser,
    async run(models, { email }) {
      const { _id } = await getUser(models, email);
      const deps = { models, clock: Date.now };
      const isDeleted = await models.transaction((transaction) => deleteUser(deps, _id, transaction));
      if (!isDeleted) throw noUserWith(email);
      return { json: { deleted: _id }, text: `Deleted user ${_id}, ${email}.` };
    },
  }),
};

/** Before the promotion, someone with a key that manages users may have signed in as this user. */
function staffNotices({ email, passwordHash, externalId, hasSecondFactor }: UserRecord): string[] {
  const notices = [
    'A new role ends all sessions, sign-in links, the password and links to single sign-on. To use single sign-on again, the user',
    'signs in here with the password and links the account.',
  ];
  if (passwordHash === null) notices.push('The user has no password now: set one with user set --password -');
  if (hasSecondFactor)
    notices.push(
      `The second factors stay. If someone else may have added one: user reset-factors --email ${email}`,
    );
  if (externalId !== null)
    notices.push(
      `Your own system knows this user as ${externalId}. From now on the API refuses to change this user, and to sign this user in by a link:`,
      'use this command line. Anyone who used an earlier sign-in link may have created keys: check them with key list.',
    );
  return notices;
}

export const refuseTaken =
  ({ externalId, panelUserId }: Partial<Pick<UserRecord, 'externalId' | 'panelUserId'>>) =>
  (failure: unknown): never => {
    const taken = findTakenField(failure);
    if (taken === null) throw failure;
    const what = taken === 'panel_user_taken' ? `panel user ${panelUserId}` : `external id ${externalId}`;
    throw new CommandError(`the ${what} belongs to another user`);
  };

function serviceUrl({ env }: Io): string {
  const { publicUrl, ...local } = readConfig(env);
  return publicUrl ?? localUrlOf(local);
}

async function setActive(models: Models, email: string, isActive: boolean) {
  const { _id } = await getUser(models, email);
  const user = await models.userAccess.setActive(_id, isActive, new Date());
  if (!user) throw noUserWith(email);
  return { json: presentUser(user), text: `${email} is ${isActive ? 'active' : 'suspended'}.` };
}

export const presentUser = (user: UserRecord) => ({
  ...presentAdminUser(user),
  support: user.isSupport,
});

export const roleOf = (user: UserRecord): string =>
  user.isAdmin ? 'an administrator' : user.isSupport ? 'support' : 'a customer';
