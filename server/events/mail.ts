/** Mail as a kind of destination: to the customer whom an event concerns, and to the host's support. */
import { performance } from 'node:perf_hooks';
import { noticesPerHourMax, securityNoticesPerHourMax, smtpConnectionsMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import { createCache } from '../../models/support/cache.ts';
import { minuteMs } from '../../models/support/durations.ts';
import type { UserRecord } from '../../models/user.ts';
import type { Clock } from '../../routers/ports.ts';
import { maskSecrets } from '../../routers/support/mask-secrets.ts';
import type { Limiter, Window } from '../limit/limiter.ts';
import type { Brand } from '../mail/layout.ts';
import { writeNotice } from '../mail/layout.ts';
import { isLinkEvent, type Letter, writeLink } from '../mail/links.ts';
import type { Mail, Mailer, SendResult } from '../mail/mailer.ts';
import { formerAddressOf, type Notice, type NoticeLimit, noticeOf, quoteOf } from '../mail/notices.ts';
import { unsubscribePath } from '../mail/unsubscribe.ts';
import type { AttemptedDelivery, DestinationKind, Outcome } from './destination-kind.ts';

export interface MailDeps {
  models: Models;
  clock: Clock;
  limiter: Limiter;
  mailer: Mailer;
  brand: Brand;
  supportEmail: string | null;
}

const hourS = 60 * 60;
/** Of a customer to itself, and of what support is told about it; of what is about security, of each type to an address. */
const perHour: Record<NoticeLimit, Window> = {
  of_all: { name: 'notices', seconds: hourS, max: noticesPerHourMax },
  of_type: { name: 'security-notices', seconds: hourS, max: securityNoticesPerHourMax },
};

/** How long all mail waits for a server that fails; the first retry of a delivery comes as soon. */
const restMs = 5000;

/** For how long it is known of a recipient that the server said nothing about it, as one that asks elsewhere first may. */
const silentMs = 15 * minuteMs;
const silentMax = 1000;

/** How long the server may take over a link when others may wait for one; most take a mail within a second. */
const patienceMs = 3000;

export function createMailKind(deps: MailDeps): DestinationKind {
  const { clock } = deps;
  /** Recipients, and deliveries to them that wait. */
  const silent = createCache<string, true>({ load: async () => true, clock, entriesMax: silentMax });
  const links = new Attempts({ giveWay: true });
  const notices = new Attempts({ giveWay: false });
  const attemptsOf = ({ event }: AttemptedDelivery) => (event.type === 'link.requested' ? links : notices);

  async function send(delivery: AttemptedDelivery, letter: Letter): Promise<Outcome | null> {
    if (await isTooMuch(deps, delivery, letter)) {
      await collect(deps, delivery, letter);
      return null;
    }
    const mail = await write(deps, delivery.delivery._id, letter);
    const startedAt = performance.now();
    const outcome = outcomeOf(await attemptsOf(delivery).send(deps.mailer, mail));
    if (outcome.error === 'timeout' && outcome.isOfDelivery) await silent.get(letter.to, { ageMsMax: 0 });
    else silent.drop(letter.to);
    return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
  }

  return {
    attemptsMax: smtpConnectionsMax,
    async attempt(delivery) {
      const { _id, attempts } = delivery.delivery;
      const inProgress = attemptsOf(delivery);
      const isSilent = attempts.at(-1)?.error === 'timeout' || silent.peek(_id, silentMs);
      // Before a letter is made: it may hold a new link.
      if (isSilent && !inProgress.hasPlaceForSilent) return { postponedMs: restMs };
      const letter = await writeOrForget(deps, delivery);
      if (!letter) return null;
      if (!isSilent && !silent.peek(letter.to, silentMs)) return send(delivery, letter);
      if (!inProgress.hasPlaceForSilent)
        return silent.get(_id, { ageMsMax: 0 }).then(() => ({ postponedMs: restMs }));
      return inProgress.countSilent(() => send(delivery, letter));
    },
  };
}

/** The attempts at mails that share connections. */
class Attempts {
  readonly #giveWay: boolean;
  /** The oldest first. */
  readonly #inProgress = new Set<{ startedAt: number; ending: AbortController }>();
  #toSilent = 0;

  /**
   * @param options `giveWay`: while these take all connections, the attempt that has lasted longest ends, and is made again
   * later. Mails without a waiting reader should not: it might come twice
   */
  constructor({ giveWay }: { giveWay: boolean }) {
    this.#giveWay = giveWay;
  }

  /** One connection is left to the others. */
  get hasPlaceForSilent(): boolean {
    return this.#toSilent < smtpConnectionsMax - 1;
  }

  async countSilent<Result>(attempt: () => Promise<Result>): Promise<Result> {
    this.#toSilent += 1;
    try {
      return await attempt();
    } finally {
      this.#toSilent -= 1;
    }
  }

  async send(mailer: Mailer, mail: Mail): Promise<SendResult> {
    if (!this.#giveWay) return mailer.send(mail);
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
    const leftMs = oldest.startedAt + patienceMs - performance.now();
    if (leftMs > 0) setTimeout(() => this.#keepPlaceFree(), leftMs).unref();
    else oldest.ending.abort();
  }
}

/** Any visitor may ask for links to addresses without an account: what is kept of that is bounded. */
async function writeOrForget(deps: MailDeps, delivery: AttemptedDelivery): Promise<Letter | null> {
  const { event } = delivery;
  const letter = await writeLetter(deps, delivery);
  if (!letter && event.type === 'link.requested') await deps.models.events.forget([event]);
  return letter;
}

/** The recipient and the notice, by today's rights and settings. Null: there is no recipient any more. */
async function writeLetter(
  { models, supportEmail }: MailDeps,
  { destination, event, at }: AttemptedDelivery,
): Promise<Letter | null> {
  if (isLinkEvent(event)) return writeLink(models, event, at);
  const { audience } = destination;
  const notice = noticeOf(event, audience);
  if (!notice || event.userId === null) return null;
  const former = formerAddressOf(event.data);
  const user = await models.users.find(event.userId);
  // The address of a deleted user is told of it all the same.
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
  const wanted = wantedOf(notice, user);
  return wanted && { to: former ?? user.email, userId: user._id, notice: wanted };
}

/** Without what the user has turned off; null where nothing is left. */
function wantedOf(notice: Notice, { noticesOff, isActive }: UserRecord): Notice | null {
  // A change that suspends its user is told to the user all the same.
  const isWanted = ({ kind }: Pick<Notice, 'kind'>) =>
    kind === null || (isActive && !noticesOff?.includes(kind));
  const list = notice.list?.filter(isWanted);
  if (!isWanted(notice) || list?.length === 0) return null;
  return { ...notice, ...(list && { list }) };
}

const firstMessage = { after: 0, limit: 1 };

/** A mail that is tried again was counted before. */
async function isTooMuch(
  { limiter }: MailDeps,
  { delivery, destination, event }: AttemptedDelivery,
  { to, userId, notice }: Letter,
): Promise<boolean> {
  const { limit } = notice;
  if (limit === null || delivery.attempts.length > 0) return false;
  const id = limit === 'of_all' ? `${destination.audience} ${userId}` : `${event.type} ${to}`;
  return !(await limiter.consume(perHour[limit], id, 1)).fits;
}

async function collect(
  { models }: MailDeps,
  { delivery, destination, event, at }: AttemptedDelivery,
  { userId, notice }: Letter,
): Promise<void> {
  const { audience } = destination;
  const collected = { userId, user: audience === 'host' ? event.user : null, at };
  const data = { audience, former_email: formerAddressOf(event.data) };
  const { kind, subject, button } = notice;
  const item = { id: delivery._id, text: subject, path: button.path, kind };
  await models.events.collect({ ...collected, data }, item);
}

const unreadReplies = 'Nobody reads replies to this mail.';

async function write(
  { models, brand, supportEmail }: MailDeps,
  id: string,
  { to, userId, notice }: Letter,
): Promise<Mail> {
  const { kind, ticketId } = notice;
  // Support does not write to itself.
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

function outcomeOf(result: SendResult): Omit<Outcome, 'durationMs'> {
  if (result.outcome === 'sent') return { status: 250, error: null };
  const { status } = result;
  // Filters quote the address that they do not like, which may be a link's.
  const smtpReply = maskSecrets(result.reply).replace(/#[\w-]{20,}/g, '#…');
  if (result.outcome === 'refused')
    return { status, error: 'status', smtpReply, isFinal: true, isOfDelivery: true };
  const { error, isOfMail } = result;
  return { status, error, smtpReply, ...(isOfMail ? { isOfDelivery: true } : { restMs }) };
}
