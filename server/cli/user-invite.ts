/** `user invite`: mails links to one user or to all who have never signed in. The service sends them. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Models } from '../../models/index.ts';
import { minuteMs } from '../../models/support/durations.ts';
import type { UserRecord } from '../../models/user.ts';
import { canMailLinks, inviteUser } from '../../routers/mail-links.ts';
import { isStaff } from '../../routers/scopes.ts';
import { getUser, type Io, printProgressTo } from './access.ts';
import { command } from './command.ts';
import { atMost, Email, Flag } from './option.ts';
import { CommandError } from './print.ts';

/** Mail providers refuse floods from unknown senders. */
export const PerMinute = atMost(60_000)
  .prefault('60')
  .describe('<number> how many mails a minute, as your mail provider allows');

export const inviteUsers = command({
  summary: 'Mail a link that signs in once, within 7 days, to a user or to all who have never signed in',
  example: 'user invite --all --per-minute 60',
  notes: `
--all leaves out staff, suspended users and those invited before, so you can stop it and run it again. The service sends the
mails. They wait while the service or the mail server is down.`,
  options: z
    .object({
      email: Email.optional().describe('<address> only this user, even if already invited'),
      all: Flag.describe('all users who have never signed in'),
      perMinute: PerMinute,
    })
    .refine(({ email, all }) => (email === undefined) === all, { error: 'give either --email or --all' }),
  async run(models, { email, perMinute }, io) {
    await requireMail(models);
    const invited =
      email === undefined ? await inviteAll(models, io, { perMinute }) : await inviteOne(models, email);
    return { json: { invited }, text: describeInvited(invited) };
  },
});

export const describeInvited = (count: number) =>
  `Invited ${count} ${count === 1 ? 'user' : 'users'}: the service mails a link to each, which works for 7 days.`;

export async function requireMail(models: Models): Promise<void> {
  if (await canMailLinks({ models })) return;
  throw new CommandError('mail is not configured: set SMTP_URL and MAIL_FROM, and start the service');
}

async function inviteOne(models: Models, email: string): Promise<number> {
  const user = await getUser(models, email);
  if (isStaff(user)) throw new CommandError(`${email} is staff, who get no links by mail: use user link`);
  if (!user.isActive) throw new CommandError(`${email} is suspended`);
  await inviteUser({ models, clock: Date.now }, user, { keyId: null });
  return 1;
}

interface InviteOptions {
  perMinute: number;
  hasPanelUser?: true;
}

const progressEvery = 100;

export async function inviteAll(
  models: Models,
  io: Io,
  { perMinute, hasPanelUser }: InviteOptions,
): Promise<number> {
  let invited = 0;
  for await (const user of listUninvited(models, hasPanelUser)) {
    if (invited > 0) await delay(minuteMs / perMinute);
    await inviteUser({ models, clock: Date.now }, user, { keyId: null });
    invited += 1;
    if (invited % progressEvery === 0) printProgressTo(io)(`${invited} are invited.`);
  }
  return invited;
}

const pageSize = 100;

async function* listUninvited(models: Models, hasPanelUser?: true): AsyncGenerator<UserRecord> {
  const wanted = { role: 'customer', isActive: true, hasNeverSignedIn: true, isUninvited: true } as const;
  for (let after = 0; ; ) {
    const page = await models.users.listPage({ ...wanted, hasPanelUser, after, limit: pageSize });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = last._id;
  }
}
