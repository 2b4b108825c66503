/** What a kind of destination is: how an event is sent there once, and what follows from how that ended. */

import type { AttemptRecord, DeliveryRecord, EventRecord } from '../../models/outbox/schema.ts';
import type { DecryptedDestination } from '../../models/outbox/webhooks.ts';

export interface DestinationKind {
  /** How many attempts at one destination are made at once. */
  attemptsMax: number;
  /**
   * Sends an event once. How that ended is a value, null where it has no recipient any more, `postponedMs` where it is not to be made now; what is thrown is tried again
   * when the delivery's lease ends.
   */
  attempt(attempt: PendingAttempt): Promise<AttemptOutcome | { postponedMs: number } | null>;
}

export interface PendingAttempt {
  delivery: DeliveryRecord;
  destination: DecryptedDestination;
  /** With its data as the destination's audience gets it. */
  event: EventRecord & { data: Record<string, unknown> };
  at: Date;
}

export interface AttemptOutcome extends Omit<AttemptRecord, 'at'> {
  /** For how long the receiver wants to be left alone with this delivery. */
  retryAfterMs?: number | null;
  /** For how long with all that is sent there. */
  destinationPauseMs?: number | null;
  /** The destination works, and refuses this delivery alone. */
  isDestinationWorking?: boolean;
  /** No other attempt is made, whatever the schedule says. */
  isFinal?: boolean;
  /** Why the destination is turned off: nothing can arrive there any more. */
  disabledReason?: string | null;
}
