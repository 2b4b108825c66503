/**
 * Lets each user run some requests at once; the others wait in order, so that one user cannot delay everyone's calls. Who has
 * just received more large responses than fit a steady rate waits until they do.
 */
import { setTimeout as pass } from 'node:timers/promises';
import type { TakeTurn } from '../../bridge/run-call.ts';
import { overloaded } from '../../routers/errors.ts';
import { ownerOf } from './client.ts';
import type { UnsentResponses } from './unsent-responses.ts';

interface Turns {
  running: number;
  waiting: (() => void)[];
}

interface TurnLimits {
  /** Of one user, over all keys and protocols. */
  runningMax: number;
  /** The same for a user whose large responses exceed that rate; each takes milliseconds of the event loop. */
  largeMax: number;
  waitingMax: number;
  unsent: Pick<UnsentResponses, 'isBehind' | 'waitMs'>;
}

/** Visitors have no turns: many may share an address, and what they may call is small. */
export function createTakeTurn({ runningMax, largeMax, waitingMax, unsent }: TurnLimits): TakeTurn {
  const byUser = new Map<string, Turns>();
  const isFree = (user: string, { running }: Turns) =>
    running < runningMax && (running < largeMax || unsent.waitMs(user) === 0);
  return async function takeTurn(state, work) {
    if (!state.caller && !state.session) return work();
    const user = ownerOf(state);
    const turns = byUser.get(user) ?? { running: 0, waiting: [] };
    if (turns.waiting.length >= waitingMax) throw overloaded();
    if (isFree(user, turns)) {
      turns.running += 1;
      byUser.set(user, turns);
    } else await new Promise<void>((resolve) => turns.waiting.push(resolve));
    try {
      const waitMs = unsent.waitMs(user);
      if (waitMs > 0) await pass(waitMs);
      if (unsent.isBehind(user)) throw overloaded();
      return await work();
    } finally {
      turns.running -= 1;
      while (turns.waiting.length > 0 && isFree(user, turns)) {
        turns.running += 1;
        turns.waiting.shift()?.();
      }
      if (turns.running === 0) byUser.delete(user);
    }
  };
}
