/** Mail as a kind of destination: to the customer concerned by an event, and to the host's support. */
import { performance } from 'node:perf_hooks';
import { noticesPerHourMax, securityNoticesPerHourMax, smtpConnectionsMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import { createCache } from '../../models/support/cache.ts';
import { minuteMs } from '../../models/support/durations.ts';
import type { UserRecord } from '../../models/user.ts';
import type { Clock } from '../../routers/ports.ts';
import { maskSecrets } from '../../routers/support/mask-secrets.ts';
import type { Limiter, Window } from '../limit/limiter.ts';
import type { MailBrand } from '../mail/layout.ts';
import { writeNotice } from '../mail/layout.ts';
import { isLinkEvent, type LinkMail, writeLinkMail } from '../mail/links.ts';
import type { Mail, Mailer, SendResult } from '../mail/mailer.ts';
import { formerAddressOf, type Notice, type NoticeLimit, noticeOf, quoteOf } from '../mail/notices.ts';
import { unsubscribePath } from '../mail/unsubscribe.ts';
import type { AttemptOutcome, DestinationKind, PendingAttempt } from './destination-kind.ts';

export interface MailDeps {
  models: Models;
  clock: Clock;
  limiter: Limiter;
  mailer: Mailer;
  brand: MailBrand;
  supportEmail: string | null;
}

const hourS = 60 * 60;
/** Ordinary notices are limited per user and audience, security notices per type and address. */
const perHour: Record<NoticeLimit, Window> = {
  of_all: { name: 'notices', seconds: hourS, max: noticesPerHourMax },
  of_type: { name: 'security-notices', seconds: hourS, max: securityNoticesPerHourMax },
};

/** After a failure of the mail server, all mail waits this long, and so does the first retry of a delivery. */
const serverPauseMs = 5000;

/** How long we remember that the mail server timed out on a recipient. It may verify recipients with other servers. */
const timeoutMemoryMs = 15 * minuteMs;
const timeoutsMax = 1000;

/** How long sending a link may take while all connections are in use. Servers accept most mails within a second. */
const linkSendMsMax = 3000;

export function createMailKind(deps: MailDeps): DestinationKind {
  const { clock } = deps;
  const timedOut = createCache<string, true>({ load: async () => true, clock, entriesMax: timeoutsMax });
  const links = new MailsInProgress({ endsOldestWhenFull: true });
  const notices = new MailsInProgress({ endsOldestWhenFull: false });
  const inProgressWith = ({ event }: PendingAttempt) => (event.type === 'link.requested' ? links : notices);

  async function send(attempt: PendingAttempt, letter: LinkMail): Promise<AttemptOutcome | null> {
    if (await exceedsHourlyLimit(deps, attempt, letter)) {
      await addToDigest(deps, attempt, letter);
      return null;
    }
    const mail = await write(deps, attempt.delivery._id, letter);
    const startedAt = performance.now();
    const outcome = outcomeOf(await inProgressWith(attempt).send(deps.mailer, mail));
    if (outcome.error === 'timeout' && outcome.isDestinationWorking)
      await timedOut.get(letter.to, { ageMsMax: 0 });
    else timedOut.drop(letter.to);
    return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
  }

  return {
    attemptsMax: smtpConnectionsMax,
    async attempt(attempt) {
      const { _id, attempts } = attempt.delivery;
      const inProgress = inProgressWith(attempt);
      const hasTimedOut = attempts.at(-1)?.error === 'timeout' || timedOut.peek(_id, timeoutMemoryMs);
      // Checked first, because writing the letter may create a new link.
      if (hasTimedOut && !inProgress.mayRetryTimedOut) return { postponedMs: serverPauseMs };
      const letter = await writeOrForget(deps, attempt);
      if (!letter) return null;
      if (!hasTimedOut && !timedOut.peek(letter.to, timeoutMemoryMs)) return send(attempt, letter);
      if (!inProgress.mayRetryTimedOut)
        return timedOut.get(_id, { ageMsMax: 0 }).then(() => ({ postponedMs: serverPauseMs }));
      return inProgress.runTimedOut(() => send(attempt, letter));
    },
  };
}

class MailsInProgress {
  readonly #endsOldestWhenFull: boolean;
  readonly #inProgress = new Set<{ startedAt: number; ending: AbortController }>();
  #runningTimedOut = 0;

  /** @param options `endsOldestWhenFull`: an ended mail may arrive twice, so set it only for mails that a reader waits for */
  constructor({ endsOldestWhenFull }: { endsOldestWhenFull: boolean }) {
    this.#endsOldestWhenFull = endsOldestWhenFull;
  }

  /** Leaves one connection to mails whose recipients have not timed out. */
  get mayRetryTimedOut(): boolean {
    return this.#runningTimedOut < smtpConnectionsMax - 1;
  }

  async runTimedOut<Result>(attempt: () => Promise<Result>): Promise<Result> {
    this.#runningTimedOut += 1;
    try {
      return await attempt();
    } finally {
      this.#runningTimedOut -= 1;
    }
  }

  async send(mailer: Mailer, mail: Mail): Promise<SendResult> {
    if (!this.#endsOldestWhenFull) return mailer.send(mail);
    const attempt = { startedAt: performance.now(), ending: new AbortController() };
    this.#inProgress.add(attempt);
    this.#keepPlaceFree();
    try {
      return await mailer.send({ ...mail, urgent: attempt.ending.signal });
    } finally {
      this.#inProgress.delete(attempt);
    }
  }

  #keepPlaceFree(): void {
    const [oldest] = this.#inProgress;
    if (!oldest || this.#inProgress.size < smtpConnectionsMax) return;
    const leftMs = oldest.startedAt + linkSendMsMax - performance.now();
    if (leftMs > 0) setTimeout(() => this.#keepPlaceFree(), leftMs).unref();
    else oldest.ending.abort();
  }
}

/** Any visitor can request links for unknown addresses, so their events are deleted at once. */
async function writeOrForget(deps: MailDeps, attempt: PendingAttempt): Promise<LinkMail | null> {
  const { event } = attempt;
  const letter = await writeLetter(deps, attempt);
  if (!letter && event.type === 'link.requested') await deps.models.events.forget([event]);
  return letter;
}

/** Uses the current rights and settings. Resolves to null if there is no recipient any more. */
async function writeLetter(
  { models, supportEmail }: MailDeps,
  { destination, event, at }: PendingAttempt,
): Promise<LinkMail | null> {
  if (isLinkEvent(event)) return writeLinkMail(models, event, at);
  const { audience } = destination;
  const notice = noticeOf(event, audience);
  if (!notice || event.userId === null) return null;
  const former = formerAddressOf(event.data);
  const user = await models.users.find(event.userId);
  // The address of a deleted user still gets the notice of their deletion.
  if (!user) return former === null ? null : { to: former, userId: event.userId, notice };
  const { ticketId } = notice;
  const conversation =
    ticketId === undefined ? null : await models.tickets.read({ id: ticketId, ...firstMessage });
  if (ticketId !== undefined && conversation?.ticket.userId !== user._id) return null;
  if (audience === 'host') {
    const [first] = event.type === 'ticket.created' ? (conversation?.messages ?? []) : [];
    const quoted = first ? { ...notice, quote: quoteOf(first.text) } : notice;
    return supportEmail === null ? null : { to: supportEmail, userId: user._id, notice: quoted };
  }
  const wanted = withoutTurnedOff(notice, user);
  return wanted && { to: former ?? user.email, userId: user._id, notice: wanted };
}

function withoutTurnedOff(notice: Notice, { noticesOff, isActive }: UserRecord): Notice | null {
  // Notices without a kind cannot be turned off: a suspended user still gets the notice of their suspension.
  const isWanted = ({ kind }: Pick<Notice, 'kind'>) =>
    kind === null || (isActive && !noticesOff?.includes(kind));
  const list = notice.list?.filter(isWanted);
  if (!isWanted(notice) || list?.length === 0) return null;
  return { ...notice, ...(list && { list }) };
}

const firstMessage = { after: 0, limit: 1 };

/** A retried mail was counted at its first attempt. */
async function exceedsHourlyLimit(
  { limiter }: MailDeps,
  { delivery, destination, event }: PendingAttempt,
  { to, userId, notice }: LinkMail,
): Promise<boolean> {
  const { limit } = notice;
  if (limit === null || delivery.attempts.length > 0) return false;
  const id = limit === 'of_all' ? `${destination.audience} ${userId}` : `${event.type} ${to}`;
  return !(await limiter.consume(perHour[limit], id, 1)).fits;
}

async function addToDigest(
  { models }: MailDeps,
  { delivery, destination, event, at }: PendingAttempt,
  { userId, notice }: LinkMail,
): Promise<void> {
  const { audience } = destination;
  const collected = { userId, user: audience === 'host' ? event.user : null, at };
  const data = { audience, former_email: formerAddressOf(event.data) };
  const { kind, subject, button } = notice;
  const item = { id: delivery._id, text: subject, path: button.path, kind };
  await models.events.addToCollected({ ...collected, data }, item);
}

const unreadReplies = 'Replies to this mail are not read.';

async function write(
  { models, brand, supportEmail }: MailDeps,
  id: string,
  { to, userId, notice }: LinkMail,
): Promise<Mail> {
  const { kind, ticketId } = notice;
  const replyTo = supportEmail !== null && to !== supportEmail ? supportEmail : undefined;
  const token = kind && (await models.notices.signUnsubscription({ userId, kind }));
  const unsubscribeUrl = token ? `${brand.publicUrl}${unsubscribePath}?token=${token}` : undefined;
  const headers = unsubscribeUrl && {
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
  return {
    to,
    id,
    ...writeNotice(brand, notice, { unsubscribeUrl, footer: replyTo ? [] : [unreadReplies] }),
    replyTo,
    thread: ticketId === undefined ? undefined : `ticket-${ticketId}`,
    ...(headers && { headers }),
    logo: brand.logo,
  };
}

function outcomeOf(result: SendResult): Omit<AttemptOutcome, 'durationMs'> {
  if (result.outcome === 'sent') return { status: 250, error: null };
  const { status } = result;
  // Spam filters quote the web addresses that they reject, which may be sign-in links.
  const smtpReply = maskSecrets(result.reply).replace(/#[\w-]{20,}/g, '#…');
  if (result.outcome === 'refused')
    return { status, error: 'status', smtpReply, isFinal: true, isDestinationWorking: true };
  const { error, isOfMail } = result;
  return {
    status,
    error,
    smtpReply,
    ...(isOfMail ? { isDestinationWorking: true } : { destinationPauseMs: serverPauseMs }),
  };
}
