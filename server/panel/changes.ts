/** Tracks which servers are changing, and decides how often to read the panel about each meanwhile. */
import QuickLRU from 'quick-lru';
import type { PanelResources } from '../../routers/panel-port.ts';
import type { Clock } from '../../routers/ports.ts';
import { keptServersMax } from './panel-call.ts';
import { liveTtlMs } from './reads.ts';

const isMoving = (state: PanelResources['state']) => state === 'starting' || state === 'stopping';

/** How long a server counts as changing after a signal or a command, and after it was last seen to change. */
const changingMs = 60_000;
/**
 * How old the panel's report on a changing server may be, such as one of a restore. `needsPanel` raises it with time while
 * nothing keeps the server from running.
 */
export const conditionTtlMs = 3_000;

interface Change {
  beganAt: number;
  until: number;
  acceptedAt: number;
}

export class ChangingServers {
  readonly #clock: Clock;
  readonly #changes = new QuickLRU<string, Change>({ maxSize: keptServersMax });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(identifier: string) {
    return this.#find(identifier) !== null;
  }

  begin(identifier: string, isAccepted: boolean) {
    const beganAt = this.#clock();
    const acceptedAt = isAccepted ? beganAt : Number.NEGATIVE_INFINITY;
    this.#changes.set(identifier, { beganAt, until: beganAt + changingMs, acceptedAt });
  }

  /** Only the panel reports what keeps a server from running. It is read ever less often, to save calls. */
  needsPanel(identifier: string) {
    const change = this.#find(identifier);
    if (!change) return true;
    const elapsedMs = this.#clock() - change.beganAt;
    const ageMsMax = Math.min(Math.max(conditionTtlMs, elapsedMs / 2), liveTtlMs);
    return this.#clock() - change.acceptedAt >= ageMsMax;
  }

  /** May begin a change but never prolongs one, because the panel's state may be 20 seconds old. */
  confirm(identifier: string, state: PanelResources['state']) {
    const change = this.#find(identifier);
    if (change) change.acceptedAt = this.#clock();
    else if (isMoving(state)) this.begin(identifier, true);
  }

  prolong(identifier: string, state: PanelResources['state']) {
    const change = this.#find(identifier);
    if (change && isMoving(state)) change.until = this.#clock() + changingMs;
  }

  /** Keeps asking the panel: only the panel knows when a restore or an installation has ended. */
  follow(identifier: string) {
    const change = this.#find(identifier);
    if (!change) return this.begin(identifier, false);
    change.until = this.#clock() + changingMs;
    change.acceptedAt = Number.NEGATIVE_INFINITY;
  }

  #find(identifier: string): Change | null {
    const change = this.#changes.get(identifier);
    return change && change.until > this.#clock() ? change : null;
  }
}
