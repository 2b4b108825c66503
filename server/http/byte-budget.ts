/** Bytes that this process holds for its clients: bounded in total, and for each client to a share of it. */

import type { Owner } from './client.ts';

/** A client may hold a quarter, so that one alone does not make the service refuse the others. */
const shareOfOne = 1 / 4;

export class ByteBudget {
  readonly #bytesMax: number;
  readonly #byOwner = new Map<Owner, number>();
  #held = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isExhausted(): boolean {
    return this.#held >= this.#bytesMax;
  }

  /** Whether an owner has used half of its share. */
  isHalfHeldBy(owner: Owner): boolean {
    return (this.#byOwner.get(owner) ?? 0) >= (this.#bytesMax * shareOfOne) / 2;
  }

  /** Holds the bytes, or none of them; false when they exceed the budget or the owner's share. */
  hold(owner: Owner, bytes: number): boolean {
    const own = (this.#byOwner.get(owner) ?? 0) + bytes;
    if (this.#held + bytes > this.#bytesMax || own > this.#bytesMax * shareOfOne) return false;
    this.#held += bytes;
    this.#byOwner.set(owner, own);
    return true;
  }

  release(owner: Owner, bytes: number): void {
    const own = (this.#byOwner.get(owner) ?? 0) - bytes;
    this.#held -= bytes;
    if (own > 0) this.#byOwner.set(owner, own);
    else this.#byOwner.delete(owner);
  }
}
