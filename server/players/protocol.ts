/** Types that the games' protocols share: the queried address and the answer. */
import { z } from 'zod';
import type { PanelAllocation } from '../../routers/panel-port.ts';
import type { PlayersNow } from '../../routers/players-port.ts';
import { cleanSingleLine, cut, withoutEscapes } from '../../routers/schemas/text.ts';

export interface Target {
  ip: string;
  port: number;
  allocation: PanelAllocation;
  /** True if the address is the allocation's alias, which may forward each port elsewhere. */
  isAlias: boolean;
  /** Finds the address to query instead if `ip` has no route. */
  findFallback?: () => Promise<Target | null>;
}

/** Built from untrusted bytes, bounded and cleaned. */
export interface Answer {
  online: number;
  max: number | null;
  /** May settle after the figures; never rejects. */
  names: PlayersNow['names'] | Promise<PlayersNow['names']>;
}

/** Rejects if the game does not answer in this protocol before the signal aborts. */
export type Ask = (target: Target, signal: AbortSignal) => Promise<Answer>;

export const playerCount = z.int32().min(0);

const namesMax = 100;
/** In UTF-16 code units. */
const nameLengthMax = 64;

/** Keeps the first names, without escapes and control characters, which could hide or overwrite text. Null: no name is left. */
export function cleanNames(names: readonly unknown[]): string[] | null {
  const texts = names.slice(0, 2 * namesMax).filter((name) => typeof name === 'string');
  const clean = texts.map((name) =>
    cut(cleanSingleLine(withoutEscapes(cut(name, 8 * nameLengthMax)).toWellFormed()).trim(), nameLengthMax),
  );
  const shown = clean.filter((name) => name !== '').slice(0, namesMax);
  return shown.length > 0 ? shown : null;
}
