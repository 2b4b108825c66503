/** Tracks which servers are changing, and decides how often the panel is read about each of them. */
import QuickLRU from 'quick-lru';
import type { PanelResources } from '../../routers/panel-port.ts';
import type { Clock } from '../../routers/ports.ts';
import { keptServersMax } from './panel-call.ts';
import { liveTtlMs } from './reads.ts';

const isMoving = (state: PanelResources['state']) => state === 'starting' || state === 'stopping';

/** How long a server counts as changing after a signal or a command, and after it was last seen changing. */
const changingMs = 60_000;
/**
 * The maximum age of the panel's report about a changing server. `needsPanel` raises it with time, unless the panel reports a
 * restore or an installation.
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

  /** Only the panel reports a suspension, a restore or an installation. It is read less and less often, to save calls. */
  needsPanel(identifier: string) {
    const change = this.#find(identifier);
    if (!change) return true;
    const elapsedMs = this.#clock() - change.beganAt;
    const ageMsMax = Math.min(Math.max(conditionTtlMs, elapsedMs / 2), liveTtlMs);
    return this.#clock() - change.acceptedAt >= ageMsMax;
  }

  /** Never prolongs a change, because the panel's state may be 20 seconds old. */
  confirm(identifier: string, state: PanelResources['state']) {
    const change = this.#find(identifier);
    if (change) change.acceptedAt = this.#clock();
    else if (isMoving(state)) this.begin(identifier, true);
  }

  prolong(identifier: string, state: PanelResources['state']) {
    const change = this.#find(identifier);
    if (change && isMoving(state)) change.until = this.#clock() + changingMs;
  }

  /** Makes each later read ask the panel: only the panel knows when a restore or an installation has ended. */
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
