/**
 * Turns what this process stored into deliveries and sends them at once, and sweeps once a second for what others left. Any
 * number of processes may do so: leases of deliveries decide.
 */
import type { Models } from '../../models/index.ts';
import { newDelivery } from '../../models/webhook/deliveries.ts';
import { includesType } from '../../models/webhook/event-types.ts';
import type { DestinationRecord, EventRecord } from '../../models/webhook/schema.ts';
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
import { sweepAnnouncements, sweepExpiringKeys, sweepOverdue, sweepTickets } from './sweeps.ts';

interface DispatcherDeps extends Omit<SenderDeps, 'kinds' | 'settings'> {
  log: Log;
  settings: WebhookConfig;
  /** Null where this process sends no mail. */
  mail?: Omit<MailDeps, 'models' | 'clock' | 'limiter'> | null;
  sweepMs?: number;
}

const batchMax = 256;
/** Destinations of an event for everybody that are read at once. */
const pageSize = 500;

/** Of some sweeps, the time between two by that of the others. Commits cause further sweeps, which do not count. */
const rareEvery = 60;
/** How long a stop waits for attempts in progress; what is left is tried again elsewhere. */
const stopMs = 3000;

export class Dispatcher {
  readonly #deps: Pick<DispatcherDeps, 'models' | 'clock'>;
  readonly #sender: Sender;
  readonly #outage: OutageLog;
  readonly #closeConnections: () => void;
  readonly #own: EventRecord[] = [];
  readonly #fanOutOwn = this.#loop(() => this.#fanOutAll());
  readonly #send = this.#loop(() => this.#sender.sendDue());
  readonly #sweep = this.#loop(() => this.#sweepOnce());
  readonly #timer: NodeJS.Timeout;
  readonly #rareMs: number;
  #rareAt = 0;
  #isStopped = false;

  constructor({ log, settings, mail = null, sweepMs = 1000, ...deps }: DispatcherDeps) {
    const { models } = deps;
    const { post, close } = createPost(createAddressRules(settings.allowedAddresses), settings.timeoutMs);
    const { webhookSecrets } = models;
    const { isUnlocked } = webhookSecrets;
    const kinds = {
      standard:
        isUnlocked && createStandardKind(post, (...args) => webhookSecrets.opened.signingSecrets(...args)),
      discord: isUnlocked && createDiscordKind(post),
      mail: mail && createMailKind({ ...deps, ...mail }),
    };
    this.#deps = deps;
    this.#rareMs = rareEvery * sweepMs;
    this.#closeConnections = () => {
      close();
      mail?.mailer.close();
    };
    this.#sender = new Sender({ ...deps, settings, kinds }, this.#send);
    this.#outage = new OutageLog(log, {
      outage: 'webhooks: the database is unavailable; events wait',
      recovery: 'webhooks: the database is available again',
    });
    models.webhookEvents.onRecorded((events) => {
      this.#own.push(...events);
      if (events.length > 0) this.#fanOutOwn();
      else this.#sweep();
    });
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

  async #fanOutAll(): Promise<void> {
    const { models, clock } = this.#deps;
    while (this.#own.length > 0)
      await this.#sender.sendTo(await fanOut(models, this.#own.splice(0, batchMax), new Date(clock())));
  }

  /** Turns events into deliveries that no process has turned yet; whether there may be more. */
  async #fanOutWaiting(): Promise<boolean> {
    const { models, clock } = this.#deps;
    const events = await models.webhookEvents.takeWaiting(batchMax, new Date(clock()));
    if (events.length > 0) await fanOut(models, events, new Date(clock()));
    return events.length >= batchMax;
  }

  async #sweepOnce(): Promise<void> {
    await sweepTickets(this.#deps);
    while ((await this.#fanOutWaiting()) && !this.#isStopped) this.#send();
    await sweepAnnouncements(this.#deps);
    const now = performance.now();
    if (now >= this.#rareAt) {
      this.#rareAt = now + this.#rareMs;
      await sweepOverdue(this.#deps);
      await sweepExpiringKeys(this.#deps);
    }
    this.#send();
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

/**
 * Turns events into deliveries: one for each active destination that subscribes to them. It may be repeated.
 * @returns the ids of the destinations that have them
 */
async function fanOut(models: Models, events: readonly EventRecord[], now: Date): Promise<string[]> {
  const { clockToleranceMs } = models.webhooks;
  const isForAll = events.some(({ userId }) => userId === null);
  const owners = isForAll ? null : [...new Set(events.flatMap(({ userId }) => userId ?? []))];
  const isSince = ({ activeSince }: DestinationRecord, { at }: EventRecord) =>
    activeSince.getTime() - at.getTime() <= clockToleranceMs;
  const ids = new Set<string>();
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: DestinationRecord[] = await models.webhooks.listActive(owners, { after, limit: pageSize });
    const entitled = await Promise.all(page.map((each) => models.credentials.mayReceive(each, now)));
    const deliveries = page.flatMap((each, index) =>
      events
        .filter((event) => entitled[index] && isSince(each, event) && isFor(event, each))
        .map((event) => newDelivery(event, each, now)),
    );
    await models.webhookDeliveries.addAll(deliveries);
    for (const { endpointId } of deliveries) ids.add(endpointId);
    after = page.length < pageSize ? undefined : page.at(-1)?._id;
  }
  await models.webhookEvents.finishFanOut(events.map(({ _id }) => _id));
  return [...ids];
}

function isFor(event: EventRecord, { audience, format, ...destination }: DestinationRecord) {
  const { type, userId } = event;
  const owner = format === 'mail' ? userId : destination.userId;
  if (audience === 'customer' && userId !== null && owner !== userId) return false;
  if (!includesType(new Set(destination.events), type)) return false;
  return format !== 'mail' || isLinkEvent(event) || noticeOf(event, audience) !== null;
}

/** Runs work one at a time; a call meanwhile runs it once more after that. */
function createLoop(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  const run = async () => {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work();
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}
