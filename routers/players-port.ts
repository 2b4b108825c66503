/** The interface to the players on a server; server/players implements it. */
import type { OwnedServer } from './panel-port.ts';

export interface PlayersNow {
  /** Excludes bots. */
  online: number | null;
  max: number | null;
  /** Null if the game sends no names, or mixes in the names of bots. Empty only if there are no players. */
  names: readonly string[] | null;
  reason: string | null;
  measuredAt: number;
}

export interface PlayersPort {
  /**
   * Queries the game of a running server at most once in 20 seconds, and less often while the game does not answer.
   * @param waitMs how long the caller waits
   */
  get(server: OwnedServer, waitMs?: number): Promise<PlayersNow>;
}
