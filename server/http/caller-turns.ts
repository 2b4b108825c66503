/** Lets each user run a few calls at once; the others wait in order, so that one user cannot delay everyone's calls. */
import type { TakeTurn } from '../../bridge/run-call.ts';
import { overloaded } from '../../routers/errors.ts';
import { ownerOf } from './owner-of.ts';

interface Turns {
  running: number;
  waiting: (() => void)[];
}

/** Calls of one user, over all keys and protocols. */
const limits = { runningMax: 10, waitingMax: 500 };

/** Visitors have no turns: many may share an address, and what they may call is small. */
export function createTakeTurn({ runningMax, waitingMax } = limits): TakeTurn {
  const byUser = new Map<string, Turns>();
  return async function takeTurn(state, work) {
    if (!state.caller && !state.session) return work();
    const user = ownerOf(state);
    const turns = byUser.get(user) ?? { running: 0, waiting: [] };
    if (turns.waiting.length >= waitingMax) throw overloaded();
    if (turns.running < runningMax) {
      turns.running += 1;
      byUser.set(user, turns);
    } else await new Promise<void>((resolve) => turns.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = turns.waiting.shift();
      if (next) next();
      else turns.running -= 1;
      if (turns.running === 0) byUser.delete(user);
    }
  };
}
