/** Who plays on a server, as procedures need it; server/players implements it. */
import type { PanelServer } from './panel-port.ts';

/** Figures are null where they are unknown. */
export interface PlayersNow {
  /** Without bots. */
  online: number | null;
  max: number | null;
  /** Null where the game tells none, or those of bots among them; empty only where nobody plays. */
  names: readonly string[] | null;
  /** A sentence for the caller where `online` is null; null otherwise. */
  reason: string | null;
  /** Milliseconds since the epoch. */
  measuredAt: number;
}

export type AskedServer = Pick<
  PanelServer,
  'identifier' | 'ownerId' | 'nodeId' | 'allocations' | 'suggestsMinecraft'
>;

export interface PlayersPort {
  /** Of a running server: the game is asked at most once in 20 seconds, and ever less while it does not answer. @param waitMs how long the caller waits */
  get(server: AskedServer, waitMs?: number): Promise<PlayersNow>;
}
