/**
 * Bounds what requests hold in this process: how many are in flight, in total and for each user, how many calls of a
 * user run at once, and the bytes of bodies and responses. A client that sends slowly holds only its bytes.
 */
import type { IncomingMessage } from 'node:http';
import { resultBytesMax } from '../../models/bounds.ts';
import { Queue, type QueueOptions } from '../../models/support/queue.ts';
import { type ApiError, overloaded, resultsExceeded, tooManyAtOnce } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import type { Slot } from '../../routers/trpc.ts';
import { receiveBody } from './bounded-request.ts';
import { ByteBudget } from './byte-budget.ts';
import { MemoryWindows, type Window } from './limiter.ts';
import type { Owner } from './owner.ts';

/**
 * The bounds cover all keys and protocols of a user. Calls that wait for the panel must not delay others, and few large
 * results fit in memory.
 */
export const slotsOfUser: Record<Slot, QueueOptions> = {
  ordinary: { runningMax: 50, waitingMax: 450, createError: tooManyAtOnce },
  panel: { runningMax: 25, waitingMax: 50, createError: tooManyAtOnce },
  large: { runningMax: 2, waitingMax: 48, createError: tooManyAtOnce },
  // These take none of the slots that all users share, because a hanging panel would fill them.
  largePanel: { runningMax: 2, waitingMax: 48, createError: tooManyAtOnce },
  waiting: { runningMax: 100, waitingMax: 0, createError: tooManyAtOnce },
};

/**
 * Few, because each large result takes milliseconds of the only thread. Results that arrive together take one turn of
 * the event loop, and small calls wait until it ends.
 */
export const largeOfProcessMax = 4;

const resultWindow: Window = { name: 'results', seconds: 60, max: resultBytesMax };

/** Shares of MAX_IN_FLIGHT: the maximum of one user, and the places reserved for users with nothing in flight. */
export const shareOfUser = 1 / 10;
export const reservedShare = 1 / 10;

interface AdmissionOptions {
  clock: Clock;
  inFlightMax: number;
  requestBytesMax: number;
  /** For results of batches, which are held until the batch is complete. */
  responseBytesMax: number;
  responseBytes: ByteBudget;
}

interface ProcessWork extends Pick<AdmissionOptions, 'inFlightMax' | 'responseBytes'> {
  requestBytes: ByteBudget;
  resultBytes: ByteBudget;
  resultWindows: MemoryWindows;
  inFlight: number;
  /** Requests that wait because their callers requested it; `inFlight` does not include them. */
  waiting: number;
  byUser: Map<Owner, UserWork>;
  large: Queue;
}

interface UserWork {
  requests: number;
  waiting: number;
  slots: { [kind in Slot]?: Queue };
}

export function createAdmit(options: AdmissionOptions): () => Admission {
  const process: ProcessWork = {
    ...options,
    inFlight: 0,
    waiting: 0,
    byUser: new Map(),
    large: new Queue({ runningMax: largeOfProcessMax }),
    requestBytes: new ByteBudget(options.requestBytesMax),
    resultBytes: new ByteBudget(options.responseBytesMax),
    resultWindows: new MemoryWindows(options.clock),
  };
  return function admit() {
    if (options.responseBytes.isExhausted) throw overloaded();
    return new Admission(process);
  };
}

export class Admission {
  readonly #process: ProcessWork;
  #owner: Owner = '';
  #work: UserWork | null = null;
  #hasPlace = false;
  /** Calls of this request that have not ended (a batch may have several), and how many of them wait. */
  readonly #calls = { begun: 0, waiting: 0 };
  #isWaiting = false;
  #held: { budget: ByteBudget; owner: Owner; bytes: number }[] = [];
  bodyReceivedAt = 0;

  constructor(process: ProcessWork) {
    this.#process = process;
    this.#takePlace();
  }

  /** @throws tooManyAtOnce() when the user has used its share, overloaded() when only reserved places are left */
  identify(owner: Owner): void {
    this.#owner = owner;
    this.#countCaller();
  }

  /** Frees the request's place while the body arrives. @throws overloaded() if none is free afterwards */
  async receiveBody(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
    this.#leavePlace();
    const body = await receiveBody(req, bytesMax, (bytes) => this.#hold(this.#process.requestBytes, bytes));
    this.bodyReceivedAt = performance.now();
    this.#takePlace();
    this.#countCaller();
    return body;
  }

  /** @throws tooManyAtOnce() if too many calls of the user wait for a slot */
  run<Result>(kind: Slot, call: () => Promise<Result>): Promise<Result> {
    const { large, responseBytes } = this.#process;
    const work = this.#work;
    if (!work) return kind === 'large' ? large.run(call) : call();
    const begin = () => {
      if (responseBytes.isHalfHeldBy(this.#owner)) throw tooManyAtOnce(); // the user does not read the responses
      if (kind === 'waiting') return this.#count('waiting', work, call);
      return kind === 'large' ? large.run(call) : call();
    };
    work.slots[kind] ??= new Queue(slotsOfUser[kind]);
    const slots = work.slots[kind];
    return this.#count('begun', work, () => slots.run(begin));
  }

  async #count<Result>(
    what: 'begun' | 'waiting',
    work: UserWork,
    call: () => Promise<Result>,
  ): Promise<Result> {
    this.#calls[what] += 1;
    try {
      this.#sharePlace(work);
      const { begun, waiting } = this.#calls;
      if (waiting === begun && !this.#isWaiting) throw overloaded(); // the request would occupy a place while it waits
      return await call();
    } finally {
      this.#calls[what] -= 1;
      this.#sharePlace(work);
    }
  }

  /**
   * Gives the place to others while all calls of the request wait, if `mayWait` allows it. After the wait, the request
   * takes a place without a check of the bounds, so that it is not refused.
   */
  #sharePlace(work: UserWork): void {
    const { begun, waiting } = this.#calls;
    const isWaiting = waiting > 0 && waiting === begun && (this.#isWaiting || mayWait(this.#process, work));
    if (isWaiting === this.#isWaiting) return;
    this.#isWaiting = isWaiting;
    const change = isWaiting ? 1 : -1;
    this.#process.waiting += change;
    work.waiting += change;
    this.#process.inFlight -= change;
    work.requests -= change;
  }

  /** Counts at most what the user's minute has left, and returns an error if that is less. Visitors have other limits. */
  countResultBytes(bytes: number): ApiError | null {
    if (typeof this.#owner !== 'number') return null;
    const { resultWindows } = this.#process;
    const counted = { window: resultWindow, id: String(this.#owner) };
    const { left, secondsLeft } = resultWindows.consume({ ...counted, calls: 0 });
    resultWindows.consume({ ...counted, calls: Math.min(bytes, left) });
    return bytes > left ? resultsExceeded(resultBytesMax / 1024 ** 2, secondsLeft) : null;
  }

  reserveResultBytes(bytes: number): ApiError | null {
    return this.#hold(this.#process.resultBytes, bytes);
  }

  release(): void {
    this.#leavePlace();
    for (const { budget, owner, bytes } of this.#held.splice(0)) budget.release(owner, bytes);
  }

  #hold(budget: ByteBudget, bytes: number): ApiError | null {
    const owner = this.#owner;
    const refusal = budget.reserve(owner, bytes);
    if (!refusal) this.#held.push({ budget, owner, bytes });
    return refusal;
  }

  #countCaller(): void {
    if (typeof this.#owner === 'number') this.#work = addRequest(this.#process, this.#owner);
    // Visitors are not counted, because many may share an address. They get no place that is reserved for users.
    else if (isAlmostFull(this.#process) && this.#process.inFlight > 1) throw overloaded();
  }

  #takePlace(): void {
    if (this.#process.inFlight >= this.#process.inFlightMax) throw overloaded();
    this.#process.inFlight += 1;
    this.#hasPlace = true;
  }

  #leavePlace(): void {
    if (!this.#hasPlace) return;
    this.#hasPlace = false;
    this.#process.inFlight -= 1;
    if (!this.#work) return;
    this.#work.requests -= 1;
    if (this.#work.requests + this.#work.waiting === 0) this.#process.byUser.delete(this.#owner);
    this.#work = null;
  }
}

function addRequest(process: ProcessWork, userId: number): UserWork {
  const work = process.byUser.get(userId) ?? { requests: 0, waiting: 0, slots: {} };
  if (work.requests > 0 && isAlmostFull(process)) throw overloaded();
  if (work.requests >= Math.max(1, process.inFlightMax * shareOfUser)) throw tooManyAtOnce();
  work.requests += 1;
  process.byUser.set(userId, work);
  return work;
}

/** Bounded, because each waiting request holds a connection. The last places are for users with none waiting. */
const mayWait = ({ waiting, inFlightMax }: ProcessWork, work: UserWork) =>
  waiting < inFlightMax * (work.waiting > 0 ? 1 - reservedShare : 1);

const isAlmostFull = ({ inFlight, inFlightMax }: ProcessWork) => inFlight > inFlightMax * (1 - reservedShare);
