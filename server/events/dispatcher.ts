/**
 * Sends events: turns what this process stored into deliveries at once, sweeps once a second for what others left, and
 * visits the endpoints that have something due. Any number of processes may do so; leases in the database decide.
 */
import type { EventRecord } from '../../models/webhook/schema.ts';
import { type Log, OutageLog } from '../observability/log.ts';
import { createAddressRules } from './addresses.ts';
import { fanOut } from './fan-out.ts';
import { createPost } from './post.ts';
import type { WebhookConfig } from './settings.ts';
import { sweepAnnouncements, sweepEvents, sweepExpiringKeys, wakeOverdue } from './sweeps.ts';
import { type VisitDeps, Visits } from './visits.ts';

interface DispatcherDeps extends Pick<VisitDeps, 'models' | 'clock' | 'onAttempt' | 'limiter'> {
  log: Log;
  settings: WebhookConfig;
  sweepMs?: number;
}

const batchMax = 256;
const visitsMax = 50;
/** Sweeps that need not run every second. */
const rareEvery = 60;
/** How long a stop waits for attempts in progress; what is left is tried again elsewhere. */
const stopMs = 3000;

export class Dispatcher {
  readonly #deps: Pick<DispatcherDeps, 'models' | 'clock'>;
  readonly #visits: Visits;
  readonly #outage: OutageLog;
  readonly #closePost: () => void;
  readonly #own: EventRecord[] = [];
  readonly #fanOutOwn = this.#loop(() => this.#fanOutAll());
  readonly #visitDue = this.#loop(() => this.#visitAll());
  readonly #sweep = this.#loop(() => this.#sweepOnce());
  readonly #timer: NodeJS.Timeout;
  #sweepCount = 0;
  #isStopped = false;

  constructor({ log, settings, sweepMs = 1000, ...deps }: DispatcherDeps) {
    const { post, close } = createPost(createAddressRules(settings.allowedAddresses), settings.timeoutMs);
    this.#deps = deps;
    this.#closePost = close;
    this.#visits = new Visits({ ...deps, post, settings }, () => this.#visitDue());
    this.#outage = new OutageLog(log, {
      outage: 'webhooks: the database is unavailable; events wait',
      recovery: 'webhooks: the database is available again',
    });
    deps.models.webhookEvents.onRecorded((events) => {
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
    await Promise.race([this.#visits.settle(), tooLong]);
    this.#closePost();
    await this.#visits.settle();
  }

  async #fanOutAll(): Promise<void> {
    const { models, clock } = this.#deps;
    while (this.#own.length > 0) await fanOut(models, this.#own.splice(0, batchMax), new Date(clock()));
    this.#visitDue();
  }

  async #visitAll(): Promise<void> {
    const { models, clock } = this.#deps;
    for (let begun = visitsMax; begun === visitsMax && this.#visits.hasRoom && !this.#isStopped; ) {
      const which = { limit: visitsMax, without: this.#visits.full };
      const ids = await models.webhookSchedule.listDue(new Date(clock()), which);
      await Promise.all(ids.map((id) => this.#visits.begin(id)));
      begun = ids.length;
    }
  }

  async #sweepOnce(): Promise<void> {
    while ((await sweepEvents(this.#deps)) && !this.#isStopped) this.#visitDue();
    await sweepAnnouncements(this.#deps);
    if (this.#sweepCount++ % rareEvery === 0) {
      await wakeOverdue(this.#deps);
      await sweepExpiringKeys(this.#deps);
    }
    this.#visitDue();
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
