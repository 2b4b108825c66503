/** Who plays on a server, as procedures need it; server/players implements it. */
import type { OwnedServer } from './panel-port.ts';

/** Figures are null where they are unknown. */
export interface PlayersNow {
  /** Without bots. */
  online: number | null;
  max: number | null;
  /** Null where the game sends none, or mixes in names of bots. Empty only where nobody plays. */
  names: readonly string[] | null;
  /** A sentence for the caller where `online` is null; null otherwise. */
  reason: string | null;
  /** Milliseconds since the epoch. */
  measuredAt: number;
}

export interface PlayersPort {
  /** Asks the game of a running server at most once in 20 seconds, and less often while it is silent. @param waitMs how long the caller waits */
  get(server: OwnedServer, waitMs?: number): Promise<PlayersNow>;
}
