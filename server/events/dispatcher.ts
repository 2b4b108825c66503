/**
 * Turns events into deliveries and sends them: at once when this process has stored an event, and once a second for
 * events that other processes left unsent. Any number of processes may do so, because each delivery has a lease.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Models } from '../../models/index.ts';
import { includesType } from '../../models/outbox/event-types.ts';
import type { DestinationRecord, EventRecord } from '../../models/outbox/schema.ts';
import type { PendingTicket } from '../../models/ticket/pending.ts';
import { readTicketEvents } from '../../routers/tickets/events.ts';
import { isLinkEvent } from '../mail/links.ts';
import { noticeOf } from '../mail/notices.ts';
import { type Log, OutageLog } from '../observability/log.ts';
import { createAddressRules } from '../outbound/addresses.ts';
import { createDiscordKind } from './discord.ts';
import { createMailKind, type MailDeps } from './mail.ts';
import { createPost } from './post.ts';
import { Sender, type SenderDeps } from './sender.ts';
import type { WebhookConfig } from './settings.ts';
import { createStandardKind } from './standard.ts';
import { sweepAnnouncements, sweepBacklogs, sweepExpiringKeys } from './sweeps.ts';

interface DispatcherDeps extends Omit<SenderDeps, 'kinds' | 'settings'> {
  settings: WebhookConfig;
  mail?: Omit<MailDeps, 'models' | 'clock' | 'limiter'> | null;
  sweepMs?: number;
}

const batchMax = 256;
const pageSize = 500;
/** The pause between two runs under load: the next run reads everything stored in the meantime. */
const loopPauseMs = 250;
/** Rare sweeps run once in this many sweeps. */
const rareSweepFactor = 60;
/** How long a stop waits for attempts in progress; other processes retry the rest. */
const stopMs = 3000;

export class Dispatcher {
  readonly #models: Models;
  readonly #clock: DispatcherDeps['clock'];
  readonly #sender: Sender;
  readonly #log: Log;
  readonly #outage: OutageLog;
  readonly #closeConnections: () => void;
  readonly #fanOut = {
    tickets: this.#loop(() => this.#fanOutAll(() => this.#fanOutPending())),
    events: this.#loop(() => this.#fanOutAll(() => this.#fanOutEvents())),
  };
  readonly #send = this.#loop(() => this.#sender.sendDue());
  readonly #sweep = this.#loop(() => this.#sweepOnce());
  readonly #timer: NodeJS.Timeout;
  readonly #rareMs: number;
  readonly #publications = new Set<string>();
  #rareAt = 0;
  #isStopped = false;

  constructor({ settings, mail = null, sweepMs = 1000, ...deps }: DispatcherDeps) {
    const { models, log } = deps;
    const { post, close } = createPost(createAddressRules(settings.allowedAddresses), settings.timeoutMs);
    const { isUnlocked } = models.vault;
    const kinds = {
      standard: isUnlocked && createStandardKind(post, (...args) => models.webhooks.signingSecrets(...args)),
      discord: isUnlocked && createDiscordKind(post),
      mail: mail && createMailKind({ ...deps, ...mail }),
    };
    this.#models = models;
    this.#log = log;
    this.#clock = deps.clock;
    this.#rareMs = rareSweepFactor * sweepMs;
    this.#closeConnections = () => {
      close();
      mail?.mailer.close();
    };
    this.#sender = new Sender({ ...deps, settings, kinds }, this.#send);
    this.#outage = new OutageLog(log, {
      outage: 'webhooks: events cannot be read or stored; they wait',
      recovery: 'webhooks: events can be read and stored again',
    });
    models.events.onStored((of) => this.#fanOut[of]());
    this.#timer = setInterval(this.#sweep, sweepMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    const tooLong = new Promise((resolve) => setTimeout(resolve, stopMs).unref());
    await Promise.race([this.#sender.stop(), tooLong]);
    this.#closeConnections();
    await this.#sender.stop();
  }

  async #sweepOnce(): Promise<void> {
    this.#fanOut.tickets();
    this.#fanOut.events();
    this.#send();
    const deps = { models: this.#models, clock: this.#clock };
    await sweepAnnouncements(deps, this.#publications);
    const now = performance.now();
    if (now < this.#rareAt) return;
    this.#rareAt = now + this.#rareMs;
    await sweepBacklogs(deps);
    await sweepExpiringKeys(deps);
  }

  /** An empty batch starts a send, because some deliveries, such as tests, need no fan-out. */
  async #fanOutAll(fanOut: () => Promise<number>): Promise<void> {
    let taken = batchMax;
    while (taken >= batchMax && !this.#isStopped) taken = await fanOut();
    if (taken === 0) this.#send();
  }

  async #fanOutPending(): Promise<number> {
    const { tickets } = this.#models;
    const pending = await tickets.pending.list(batchMax);
    if (pending.length === 0) return 0;
    const destinations: DestinationRecord[] = [];
    const owners = [...new Set(pending.map(({ userId }) => userId))];
    for await (const page of this.#models.destinations.listActive(owners, pageSize))
      destinations.push(...page);
    const fanOut = async (some: PendingTicket[]) => {
      const wanted = some.filter((ticket) => destinations.some((each) => mayGet(each, ticket)));
      await this.#deliverTicketEvents(wanted, destinations);
      await tickets.pending.clear(some);
    };
    try {
      await fanOut(pending);
    } catch (failure) {
      // A ticket whose events cannot be stored must not hold back the others.
      await Promise.allSettled(pending.map((ticket) => fanOut([ticket])));
      throw failure;
    }
    return pending.length;
  }

  async #deliverTicketEvents(tickets: PendingTicket[], destinations: DestinationRecord[]): Promise<void> {
    if (tickets.length === 0) return;
    const models = this.#models;
    const ids = tickets.map(({ _id }) => _id);
    const events = await models.events.toRecords(await readTicketEvents(models, ids));
    const jobs = this.#pairsOf(events, destinations);
    await models.events.addAll([...new Set(jobs.map(({ event }) => event))]);
    await this.#sender.deliver(jobs);
  }

  async #fanOutEvents(): Promise<number> {
    const models = this.#models;
    const events = await models.events.takeWaiting(batchMax, new Date(this.#clock()));
    if (events.length === 0) return 0;
    const isForAll = events.some(({ userId }) => userId === null);
    const owners = isForAll ? null : [...new Set(events.flatMap(({ userId }) => userId ?? []))];
    const wanted = new Set<EventRecord>();
    for await (const page of models.destinations.listActive(owners, pageSize)) {
      const jobs = this.#pairsOf(events, page);
      for (const { event } of jobs) wanted.add(event);
      await this.#sender.deliver(jobs);
    }
    await models.events.finishFanOut([...wanted]);
    await models.events.forget(events.filter((event) => !wanted.has(event)));
    return events.length;
  }

  #pairsOf(events: readonly EventRecord[], destinations: readonly DestinationRecord[]) {
    return events.flatMap((event) =>
      destinations.filter((each) => this.#gets(each, event)).map((destination) => ({ event, destination })),
    );
  }

  #gets(destination: DestinationRecord, event: EventRecord): boolean {
    const { clockToleranceMs } = this.#models.destinations;
    try {
      if (!matchesDestination(event, destination)) return false;
      return destination.activeSince.getTime() - event.at.getTime() <= clockToleranceMs;
    } catch (failure) {
      // A retry would fail as well, so the event is skipped and does not delay others.
      const about = { eventId: event._id, type: event.type, destination: destination._id };
      this.#log.error({ err: failure, ...about }, 'webhooks: an event cannot be read and is not sent');
      return false;
    }
  }

  #loop(work: () => Promise<void>): () => void {
    return createLoop(async () => {
      try {
        if (!this.#isStopped) await work();
        this.#outage.reportRecovery();
      } catch (failure) {
        this.#outage.reportOutage(failure);
      }
    });
  }
}

function matchesDestination(
  event: EventRecord,
  { audience, format, events, userId: owner }: DestinationRecord,
): boolean {
  const { type, userId } = event;
  const isOfOwner = audience === 'host' || format === 'mail' || userId === null || userId === owner;
  if (!isOfOwner || !includesType(events, type)) return false;
  return format !== 'mail' || isLinkEvent(event) || noticeOf(event, audience) !== null;
}

/** Mail informs customers of what the staff does, and the staff of what customers do. */
function mayGet({ audience, format, events, userId }: DestinationRecord, ticket: PendingTicket): boolean {
  if (format === 'mail') return ticket.facts.some(({ isByStaff }) => isByStaff !== (audience === 'host'));
  const isOfOwner = audience === 'host' || userId === ticket.userId;
  return isOfOwner && events.some((type) => type === '*' || type.startsWith('ticket.'));
}

/** Any number of calls during a run cause one more run, after a pause. */
function createLoop(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  const run = async () => {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work();
      if (isWanted) await delay(loopPauseMs);
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}
