/**
 * Lets each user run some requests at once; the others wait in order, so that one user cannot delay everyone's calls. Who has
 * just received more large responses than fit a steady rate waits until they do.
 */
import { setTimeout as pass } from 'node:timers/promises';
import type { TakeTurn } from '../../bridge/run-call.ts';
import { overloaded } from '../../routers/errors.ts';
import { type Owner, ownerOf } from './client.ts';
import type { UnsentResponses } from './unsent-responses.ts';

interface Turns {
  running: number;
  waiting: (() => void)[];
}

interface TurnLimits {
  /** Of one user, over all keys and protocols. */
  runningMax: number;
  /** The same for a user whose large responses exceed their rate; each takes milliseconds of the event loop. */
  largeMax: number;
  waitingMax: number;
  unsent: Pick<UnsentResponses, 'isBehind' | 'waitMs'>;
}

/** Visitors have no turns: many may share an address, and what they may call is small. */
export function createTakeTurn({ runningMax, largeMax, waitingMax, unsent }: TurnLimits): TakeTurn {
  const byUser = new Map<Owner, Turns>();
  const isFree = (user: Owner, { running }: Turns) =>
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
      for (let waitMs = unsent.waitMs(user); waitMs > 0; waitMs = unsent.waitMs(user)) await pass(waitMs);
      if (unsent.isBehind(user)) throw overloaded();
      return await work();
    } finally {
      turns.running -= 1;
      while (isFree(user, turns)) {
        const resume = turns.waiting.shift();
        if (!resume) break;
        turns.running += 1;
        // In the next turn of the event loop, by when the response before it is charged to the user.
        setImmediate(resume);
      }
      if (turns.running === 0) byUser.delete(user);
    }
  };
}
