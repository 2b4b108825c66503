/**
 * Who plays on a server, as its game answers. Which protocol it speaks is not known: all are asked at once, at the default
 * address first, and what answered is asked first the next time.
 */
import { setMaxListeners } from 'node:events';
import pLimit from 'p-limit';
import { createCache } from '../../models/support/cache.ts';
import { minuteMs } from '../../models/support/durations.ts';
import { limitByKey } from '../../models/support/limit-by-key.ts';
import type { AskedServer, PlayersPort } from '../../routers/players-port.ts';
import { withTimeout } from '../limit/with-timeout.ts';
import { findTargets } from './addresses.ts';
import { askBedrock } from './bedrock.ts';
import { askMinecraft } from './minecraft.ts';
import type { Answer, Ask, Target } from './protocol.ts';
import { askSource, askSourceAtNextPort } from './source.ts';

interface PlayersSettings {
  /** In milliseconds. */
  clock(): number;
  /** Whether games are asked at all. */
  isOn: boolean;
  /** Where the panel itself is on this machine. */
  allowsLoopback: boolean;
}

/** How an address is asked. */
interface Way {
  target: Target;
  ask: Ask;
}

interface Found {
  answer: Answer;
  way: Way;
}

interface Look {
  /** Null where there is none, with the reason. */
  answer: Answer | null;
  reason: string | null;
  /** When the game was queried; null: it was not. */
  measuredAt: number | null;
  /** What answered, now or the last time. */
  way: Way | null;
}

const answeredMs = 20_000;
const unansweredMs = minuteMs;
const lookMsMax = 2_000;
/** How long one group of ways is tried alone before the next is tried too. */
const groupMs = 500;
const waitMsMax = 3_000;

const looksMax = 32;
const looksOfOwnerMax = 5;
const keptServersMax = 10_000;

const unanswered = { answer: null, measuredAt: null };
const unknown = { online: null, max: null, names: null };

export function createPlayers({ clock, isOn, allowsLoopback }: PlayersSettings): PlayersPort {
  const atOnce = pLimit(looksMax);
  const ofOwner = limitByKey<number>(looksOfOwnerMax);
  const looks = createCache<AskedServer, Look>({
    clock,
    keyOf: ({ identifier }) => identifier,
    entriesMax: keptServersMax,
    agesFromEnd: true,
    load: (server) => ofOwner(server.ownerId, () => atOnce(() => look(server))),
  });
  const lastLook = (server: AskedServer) => looks.peek(server, Number.POSITIVE_INFINITY);

  async function look(server: AskedServer): Promise<Look> {
    const known = lastLook(server)?.way ?? null;
    const targets = findTargets(server.allocations, allowsLoopback);
    const found = await askInTurn(targets.then((asked) => groupsOf(asked, known))).catch(() => null);
    if ((await targets).length === 0)
      return { ...unanswered, reason: 'The server has no address that can be asked.', way: known };
    const measuredAt = clock();
    if (!found) return { ...unanswered, reason: 'The game did not answer.', measuredAt, way: known };
    return { answer: found.answer, reason: null, measuredAt, way: found.way };
  }

  return {
    async get(server, waitMs = waitMsMax) {
      if (!isOn) return { ...unknown, reason: 'This service asks no games who plays.', measuredAt: clock() };
      const ageMsMax = lastLook(server)?.answer ? answeredMs : unansweredMs;
      const looking = withTimeout(waitMs, looks.get(server, { ageMsMax }));
      const late = { ...unanswered, reason: 'The game could not be asked in time.' };
      const { answer, reason, measuredAt } = await looking.catch(() => late);
      return { ...(answer ?? unknown), reason, measuredAt: measuredAt ?? clock() };
    },
  };
}

/** Fails when none of them answers. */
async function askInTurn(groups: Promise<Way[][]>): Promise<Found> {
  const end = new AbortController();
  setMaxListeners(0, end.signal); // All ways listen to it, which are more than the ten that Node warns of.
  const asking = askGroups(groups, end.signal);
  try {
    return await withTimeout(lookMsMax, asking);
  } catch {
    end.abort();
    // A game that has told how many play, and not yet who, has answered.
    return await asking;
  } finally {
    end.abort();
  }
}

async function askGroups(groups: Promise<Way[][]>, signal: AbortSignal): Promise<Found> {
  const asked: Promise<Found>[] = [];
  for (const group of await groups) {
    signal.throwIfAborted();
    asked.push(...group.map(async (way) => ({ way, answer: await way.ask(way.target, signal) })));
    const first = await withTimeout(groupMs, Promise.any(asked)).catch(() => null);
    if (first) return first;
  }
  return Promise.any(asked);
}

/** What answered before, if the server still has that address; then the default address; then the others. */
function groupsOf(targets: readonly Target[], known: Way | null): Way[][] {
  const defaults = targets.filter(({ isDefault }) => isDefault);
  const others = targets.filter(({ isDefault }) => !isDefault);
  const next = defaults.map((target) => ({ target, ask: askSourceAtNextPort }));
  // The next port may be another server's: the default one comes before it.
  const groups = [defaults.flatMap(waysTo), [...next, ...others.flatMap(waysTo)]];
  const isKnown = (way: Way) => known !== null && isSame(way, known);
  const rest = groups.map((group) => group.filter((way) => !isKnown(way)));
  return [groups.flat().filter(isKnown), ...rest].filter(({ length }) => length > 0);
}

const waysTo = (target: Target): Way[] =>
  [askMinecraft, askSource, askBedrock].map((ask) => ({ target, ask }));

const isSame = (way: Way, { ask, target: { ip, port } }: Way) =>
  way.ask === ask && way.target.ip === ip && way.target.port === port;
