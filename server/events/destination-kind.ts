/** A kind of destination makes one attempt at sending an event and returns its outcome. */
import type { AttemptRecord, DeliveryRecord, EventRecord } from '../../models/outbox/schema.ts';
import type { DecryptedDestination } from '../../models/outbox/webhooks.ts';

export interface DestinationKind {
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
  /** Its data is limited to what the destination's audience may see. */
  event: EventRecord & { data: Record<string, unknown> };
  at: Date;
}

export interface AttemptOutcome extends Omit<AttemptRecord, 'at'> {
  retryAfterMs?: number | null;
  /** Delays every delivery to the destination, while `retryAfterMs` delays only this one. */
  destinationPauseMs?: number | null;
  /** The failure concerns only this delivery, so the destination counts as working. */
  isDestinationWorking?: boolean;
  isFinal?: boolean;
  disabledReason?: string | null;
}
