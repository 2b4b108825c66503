/** Queries the game of a server for its players. The game's protocol is unknown, so several are tried. */
import { setMaxListeners } from 'node:events';
import { createCache } from '../../models/support/cache.ts';
import { minuteMs } from '../../models/support/durations.ts';
import { limitByKey, Queue } from '../../models/support/queue.ts';
import type { OwnedServer, Panel } from '../../routers/panel-port.ts';
import type { PlayersNow, PlayersPort } from '../../routers/players-port.ts';
import { withTimeout } from '../limit/with-timeout.ts';
import { findTargets } from './addresses.ts';
import { askBedrock } from './bedrock.ts';
import { askMinecraft } from './minecraft.ts';
import type { Ask, Target } from './protocol.ts';
import { askSource, askSourceAtNextPort } from './source.ts';
import { type Group, type Protocol, planQueries, type Way } from './ways.ts';

interface PlayersSettings {
  clock(): number;
  isOn: boolean;
  /** Whether the panel itself is on this machine. */
  allowsLoopback: boolean;
  panel: Pick<Panel, 'mayHaveOtherServerAt'>;
}

type Figures = Pick<PlayersNow, 'online' | 'max' | 'names'>;

interface QueryResult {
  figures: Figures | null;
  reason: string | null;
  measuredAt: number | null;
  way: Way | null;
  unanswered: number;
}

export const queryIntervalMs = 20_000;
/** The pause after the first query without an answer; each further one doubles the pause. */
export const unansweredMs = minuteMs;
export const unansweredMsMax = 8 * minuteMs;
export const queryMsMax = 2_000;
/** How long an aborted query may take to end. */
const endMsMax = 100;
const waitMsMax = 3_000;

export const queriesMax = 32;
export const queriesPerOwnerMax = 5;
const keptServersMax = 10_000;

const unknownFigures = { online: null, max: null, names: null };

export function createPlayers({ clock, isOn, allowsLoopback, panel }: PlayersSettings): PlayersPort {
  const atOnce = new Queue({ runningMax: queriesMax });
  const ofOwner = limitByKey<number>({ runningMax: queriesPerOwnerMax });
  const results = createCache<OwnedServer, QueryResult>({
    clock,
    keyOf: ({ identifier }) => identifier,
    entriesMax: keptServersMax,
    agesFromEnd: true,
    load: (server) => ofOwner(server.ownerId, () => atOnce.run(() => queryServer(server))),
  });
  const lastResult = (server: OwnedServer) => results.peek(server, Number.POSITIVE_INFINITY);

  async function queryServer(server: OwnedServer): Promise<QueryResult> {
    const { way: lastWay = null, unanswered: before = 0 } = lastResult(server) ?? {};
    const known = lastWay && hasAddressOf(server, lastWay) ? lastWay : null;
    const failed = { figures: null, measuredAt: null, way: lastWay, unanswered: before + 1 };
    const targets = findTargets(server.allocations, allowsLoopback);
    const { suggestsMinecraft } = server;
    const groups = targets.then((found) => planQueries(found, { known, suggestsMinecraft }));
    const found = await askInTurn(groups, createAskByProtocol(server, panel)).catch(() => null);
    if (found) return { ...found, reason: null, measuredAt: clock(), unanswered: 0 };
    if ((await targets).length > 0)
      return { ...failed, reason: 'The game did not answer.', measuredAt: clock() };
    return { ...failed, reason: 'The server has no address that can be asked.', unanswered: 1 };
  }

  return {
    async get(server, waitMs = waitMsMax) {
      if (!isOn)
        return { ...unknownFigures, reason: 'This service does not query games.', measuredAt: clock() };
      const ageMsMax = restMsAfter(lastResult(server)?.unanswered ?? 0);
      const looking = withTimeout(waitMs, results.get(server, { ageMsMax }));
      const late = { figures: null, reason: 'The game could not be queried in time.', measuredAt: null };
      const { figures, reason, measuredAt } = await looking.catch(() => late);
      return { ...(figures ?? unknownFigures), reason, measuredAt: measuredAt ?? clock() };
    },
  };
}

const restMsAfter = (unanswered: number) =>
  unanswered === 0 ? queryIntervalMs : Math.min(unansweredMs * 2 ** (unanswered - 1), unansweredMsMax);

const hasAddressOf = ({ allocations }: OwnedServer, { target: { allocation } }: Way) =>
  allocations.some(
    ({ ip, alias, port }) => ip === allocation.ip && alias === allocation.alias && port === allocation.port,
  );

type AskByProtocol = Record<Protocol, Ask>;

function createAskByProtocol(server: OwnedServer, panel: PlayersSettings['panel']): AskByProtocol {
  const isOwnNextPort = async ({ allocation: { ip, port }, isAlias }: Target) =>
    !(await panel.mayHaveOtherServerAt(server, { ip: isAlias ? null : ip, port: port + 1 }));
  return {
    source: askSource,
    sourceAtNextPort: askSourceAtNextPort(isOwnNextPort),
    bedrock: askBedrock,
    minecraft: askMinecraft,
  };
}

async function askInTurn(
  groups: Promise<Group[]>,
  asks: AskByProtocol,
): Promise<Pick<QueryResult, 'way'> & { figures: Figures }> {
  const end = new AbortController();
  setMaxListeners(0, end.signal); // Node warns beyond ten listeners, and every way adds one.
  const asking = askGroups(groups, asks, end.signal).then(
    async ({ way, answer: { online, max, names } }) => ({
      figures: { online, max, names: online === 0 ? [] : await names },
      way,
    }),
  );
  try {
    return await withTimeout(queryMsMax, asking);
  } catch {
    end.abort();
    // A game that sent its figures but not yet its names counts as having answered.
    return await withTimeout(endMsMax, asking);
  } finally {
    end.abort();
  }
}

async function askGroups(groups: Promise<Group[]>, asks: AskByProtocol, signal: AbortSignal) {
  const asked: ReturnType<typeof askWay>[] = [];
  for (const { ways, aloneMs } of await groups) {
    signal.throwIfAborted();
    asked.push(...ways.map((way) => askWay(way, asks, signal)));
    const first = await withTimeout(aloneMs, Promise.any(asked)).catch(() => null);
    if (first) return first;
  }
  return Promise.any(asked);
}

async function askWay(way: Way, asks: AskByProtocol, signal: AbortSignal) {
  const { protocol, target } = way;
  try {
    return { way, answer: await asks[protocol](target, signal) };
  } catch (error) {
    const other = hasNoRoute(error) && (await target.findFallback?.());
    if (!other) throw error;
    return { way: { protocol, target: other }, answer: await asks[protocol](other, signal) };
  }
}

/** Errors of a connection that never left this machine, or that a router refused. */
const noRouteCodes = new Set(
  'ENETUNREACH EHOSTUNREACH ENETDOWN EADDRNOTAVAIL EAFNOSUPPORT EACCES EINVAL'.split(' '),
);

const hasNoRoute = (error: unknown) => noRouteCodes.has((error as NodeJS.ErrnoException).code ?? '');
