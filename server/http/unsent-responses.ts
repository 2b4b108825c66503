/**
 * Large responses that their clients have not taken yet: their bytes are charged to a budget, and a client that makes no
 * progress, or less than a floor, is disconnected. Each owner receives them at a steady rate.
 */
import type { ServerResponse } from 'node:http';
import type { ByteBudget } from './byte-budget.ts';
import type { Owner } from './client.ts';

interface Unsent {
  owner: Owner;
  /** Of the whole response. */
  bytes: number;
  startedAt: number;
  unsentBytes: number;
  progressAt: number;
}

const checkEveryMs = 1000;

/** The kernel takes megabytes before a client shows any progress, so the time without any is long. */
const idleMsMax = 20_000;
const bytesPerSecondMin = 16 * 1024;

/** Of one owner's large responses together. They take about 2 % of a processor per MiB/s. */
const ownerBytesPerSecond = 8 * 1024 * 1024;

/** However much a client has received at once, it waits no longer. */
const waitMsMax = 2000;

export class UnsentResponses {
  readonly #budget: ByteBudget;
  readonly #responses = new Map<ServerResponse, Unsent>();
  /** When each owner's responses so far are within its rate. */
  readonly #withinRateAt = new Map<Owner, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** Charges a response until it is sent; false when it exceeds the budget. */
  charge(res: ServerResponse, owner: Owner, bytes: number): boolean {
    if (!this.#budget.hold(owner, bytes)) return false;
    const now = performance.now();
    const startsAt = Math.max(now, this.#withinRateAt.get(owner) ?? 0);
    this.#withinRateAt.set(owner, Math.min(startsAt + (bytes / ownerBytesPerSecond) * 1000, now + waitMsMax));
    this.#responses.set(res, { owner, bytes, startedAt: now, unsentBytes: bytes, progressAt: now });
    res.once('close', () => this.#forget(res));
    this.#timer ??= setInterval(() => this.#check(), checkEveryMs).unref();
    return true;
  }

  /** How long until the large responses that an owner has been sent are within its rate; 0 for most owners. */
  waitMs(owner: Owner): number {
    const at = this.#withinRateAt.get(owner);
    return at === undefined ? 0 : Math.max(0, at - performance.now());
  }

  /** Whether an owner leaves so much unread that another large response might not fit. */
  isBehind(owner: Owner): boolean {
    return this.#budget.isHalfHeldBy(owner);
  }

  #forget(res: ServerResponse): void {
    const unsent = this.#responses.get(res);
    if (!unsent) return;
    this.#budget.release(unsent.owner, unsent.bytes);
    this.#responses.delete(res);
  }

  #check(): void {
    const now = performance.now();
    for (const [res, unsent] of this.#responses) if (isStuck(res, unsent, now)) res.req.socket.destroy();
    for (const [owner, at] of this.#withinRateAt) if (now > at) this.#withinRateAt.delete(owner);
    if (this.#responses.size > 0 || this.#withinRateAt.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function isStuck(res: ServerResponse, unsent: Unsent, now: number): boolean {
  // Of a pipelined response that waits for the one before it, the response itself holds the bytes.
  const unsentBytes = res.socket ? res.socket.writableLength : res.writableLength;
  if (unsentBytes < unsent.unsentBytes) {
    unsent.unsentBytes = unsentBytes;
    unsent.progressAt = now;
  }
  if (now - unsent.progressAt > idleMsMax) return true;
  const elapsedMs = now - unsent.startedAt;
  const takenBytes = unsent.bytes - unsentBytes;
  return elapsedMs > idleMsMax && takenBytes < (bytesPerSecondMin * elapsedMs) / 1000;
}
