/** A kind of destination: how an event is sent there once, and what follows from the result. */

import type { AttemptRecord, DeliveryRecord, EventRecord } from '../../models/outbox/schema.ts';
import type { DecryptedDestination } from '../../models/outbox/webhooks.ts';

export interface DestinationKind {
  /** How many attempts may run at once for one destination. */
  attemptsMax: number;
  /**
   * Sends an event once. Resolves to null where the event no longer has a recipient, and to `postponedMs` where the
   * attempt should wait. If it throws, the delivery is retried when its lease ends.
   */
  attempt(attempt: PendingAttempt): Promise<AttemptOutcome | { postponedMs: number } | null>;
}

export interface PendingAttempt {
  delivery: DeliveryRecord;
  destination: DecryptedDestination;
  /** Its data is what the destination's audience may see. */
  event: EventRecord & { data: Record<string, unknown> };
  at: Date;
}

export interface AttemptOutcome extends Omit<AttemptRecord, 'at'> {
  /** How long the receiver wants to wait before this delivery is retried. */
  retryAfterMs?: number | null;
  /** How long every delivery to this destination waits. */
  destinationPauseMs?: number | null;
  /** The destination works and refuses only this delivery. */
  isDestinationWorking?: boolean;
  /** No further attempt follows, whatever the retry settings say. */
  isFinal?: boolean;
  /** Why the destination is turned off: nothing can arrive there any longer. */
  disabledReason?: string | null;
}
