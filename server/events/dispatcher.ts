/**
 * Turns what this process stored into deliveries and sends them at once, and sweeps once a second for what others left. Any
 * number of processes may do so: leases of deliveries decide.
 */
import type { EventRecord } from '../../models/webhook/schema.ts';
import { type Log, OutageLog } from '../observability/log.ts';
import { createAddressRules } from '../outbound/addresses.ts';
import { createDiscordKind } from './discord.ts';
import { fanOut } from './fan-out.ts';
import { createPost } from './post.ts';
import { Sender, type SenderDeps } from './sender.ts';
import type { WebhookConfig } from './settings.ts';
import { createStandardKind } from './standard.ts';
import { sweepAnnouncements, sweepEvents, sweepExpiringKeys, sweepOverdue } from './sweeps.ts';

interface DispatcherDeps extends Omit<SenderDeps, 'kinds' | 'settings'> {
  log: Log;
  settings: WebhookConfig;
  sweepMs?: number;
}

const batchMax = 256;
/** Sweeps that need not run every second. */
const rareEvery = 60;
/** How long a stop waits for attempts in progress; what is left is tried again elsewhere. */
const stopMs = 3000;

export class Dispatcher {
  readonly #deps: Pick<DispatcherDeps, 'models' | 'clock'>;
  readonly #sender: Sender;
  readonly #outage: OutageLog;
  readonly #closePost: () => void;
  readonly #own: EventRecord[] = [];
  readonly #fanOutOwn = this.#loop(() => this.#fanOutAll());
  readonly #send = this.#loop(() => this.#sender.sendDue());
  readonly #sweep = this.#loop(() => this.#sweepOnce());
  readonly #timer: NodeJS.Timeout;
  #sweepCount = 0;
  #isStopped = false;

  constructor({ log, settings, sweepMs = 1000, ...deps }: DispatcherDeps) {
    const { models } = deps;
    const { post, close } = createPost(createAddressRules(settings.allowedAddresses), settings.timeoutMs);
    const kinds = {
      standard: createStandardKind(post, (...args) => models.webhookSecrets.opened.signingSecrets(...args)),
      discord: createDiscordKind(post),
    };
    this.#deps = deps;
    this.#closePost = close;
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
    this.#closePost();
    await this.#sender.stop();
  }

  async #fanOutAll(): Promise<void> {
    const { models, clock } = this.#deps;
    while (this.#own.length > 0)
      await this.#sender.sendTo(await fanOut(models, this.#own.splice(0, batchMax), new Date(clock())));
  }

  async #sweepOnce(): Promise<void> {
    while ((await sweepEvents(this.#deps)) && !this.#isStopped) this.#send();
    await sweepAnnouncements(this.#deps);
    if (this.#sweepCount++ % rareEvery === 0) {
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
