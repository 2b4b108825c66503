/** What a kind of destination is: how an event is sent there once, and what follows from how that ended. */
import type { Destination } from '../../models/webhook/destinations.ts';
import type { Attempt, AttemptError, EventRecord } from '../../models/webhook/schema.ts';

export interface DestinationKind {
  /** How many attempts at one destination are made at once. */
  attemptsMax: number;
  /** What may have arrived is not sent again: that an attempt begins is stored before it. */
  isSentOnce?: boolean;
  /**
   * Names who gets what is sent there, the same for all destinations that lead there: it is not sent more than it bears. Null
   * for the host's own server.
   */
  receiverOf(destination: Destination): string | null;
  /**
   * Sends an event once. How that ended is a value, null where it has no recipient any more; what is thrown is tried again
   * when the delivery's lease ends.
   */
  attempt(delivery: AttemptedDelivery): Promise<Outcome | Postponed | null>;
}

/** Nothing was sent, because there is no place for it: it is due again, as if it had not been tried. */
interface Postponed {
  postponedMs: number;
}

export interface AttemptedDelivery {
  /** The delivery's, the same for each attempt. */
  id: string;
  destination: Destination;
  event: EventRecord;
  /** Of the event, as the destination's audience gets it. */
  data: Record<string, unknown>;
  at: Date;
  /** How many attempts ended before this one, and why the last of them failed. */
  attemptsBefore: number;
  lastError: AttemptError | null;
  /** Of what is sent once: whether an attempt was begun and its end was not stored, so that it may have arrived. */
  isInterrupted: boolean;
}

export interface Outcome extends Omit<Attempt, 'at'> {
  /** For how long the receiver wants to be left alone with this delivery. */
  retryAfterMs?: number | null;
  /** For how long with all that is sent there. */
  restMs?: number | null;
  /** The destination works, and refuses this delivery alone. */
  isOfDelivery?: boolean;
  /** No other attempt is made, whatever the schedule says. */
  isFinal?: boolean;
  /** Why the destination is turned off: nothing can arrive there any more. */
  disabledReason?: string | null;
}
