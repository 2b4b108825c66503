/** Bounds the bytes that this process holds for its clients: in total, and for each client. */
import { type ApiError, overloaded, tooManyAtOnce } from '../../routers/errors.ts';
import type { Owner } from './owner.ts';

/** A client may hold a quarter, so that it cannot make the service refuse all others. */
export const shareOfOne = 1 / 4;

/** All visitors together may hold half, because a visitor can have any number of addresses. */
export const shareOfVisitors = 1 / 2;

export class ByteBudget {
  readonly #bytesMax: number;
  readonly #byOwner = new Map<Owner, number>();
  #held = 0;
  #heldByVisitors = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isExhausted(): boolean {
    return this.#held >= this.#bytesMax;
  }

  isHalfHeldBy(owner: Owner): boolean {
    return (this.#byOwner.get(owner) ?? 0) >= (this.#bytesMax * shareOfOne) / 2;
  }

  reserve(owner: Owner, bytes: number): ApiError | null {
    const own = (this.#byOwner.get(owner) ?? 0) + bytes;
    const ofVisitors = visitorBytes(owner, bytes);
    const exceedsOwnShare = own > this.#bytesMax * shareOfOne;
    if (exceedsOwnShare && isUser(owner)) return tooManyAtOnce();
    if (exceedsOwnShare || this.#held + bytes > this.#bytesMax) return overloaded();
    if (ofVisitors > 0 && this.#heldByVisitors + ofVisitors > this.#bytesMax * shareOfVisitors)
      return overloaded();
    this.#held += bytes;
    this.#heldByVisitors += ofVisitors;
    this.#byOwner.set(owner, own);
    return null;
  }

  release(owner: Owner, bytes: number): void {
    const own = (this.#byOwner.get(owner) ?? 0) - bytes;
    this.#held -= bytes;
    this.#heldByVisitors -= visitorBytes(owner, bytes);
    if (own > 0) this.#byOwner.set(owner, own);
    else this.#byOwner.delete(owner);
  }
}

const isUser = (owner: Owner) => typeof owner === 'number';

const visitorBytes = (owner: Owner, bytes: number) => (isUser(owner) ? 0 : bytes);
