/**
 * What each server does now, for one server and for many. Where the state is unknown for reasons of the server or its node,
 * it is `unknown` with the reason.
 */
import pLimit from 'p-limit';
import { ApiError, badRequest } from '../../routers/errors.ts';
import type { LocatedServer, PanelResources, PanelServer } from '../../routers/panel-port.ts';
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import { type FailureKind, PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { uncounted } from './panel-call.ts';
import { unknownFor, unknownState } from './resources.ts';
import { answerWithin } from './server-api.ts';
import { type StateDeps, StateSources } from './state-sources.ts';

export function createLiveState(deps: StateDeps) {
  const { settings } = deps;
  const { clock, liveWaitMs: waitMs } = settings;
  const sources = new StateSources(deps);
  const heedOthers = () => sources.heedOthers();
  return {
    heedOthers,
    async get(server: LocatedServer, requestId: string) {
      await heedOthers();
      try {
        // A panel waits for a node for longer than a caller should.
        return await sources.get(server, { requestId, waitMs });
      } catch (error) {
        if (!isUntold(error)) throw error;
        return unknownFor(error.kind, clock());
      }
    },
    getMany: createReadMany(sources, settings),
    /** Whether a server is known to be off now. */
    isOff: (server: LocatedServer, requestId: string) =>
      answerWithin(waitMs, sources.stateNow(server, requestId))
        .then((state) => state === 'offline')
        .catch((error: unknown) => {
          if (isUntold(error)) return false;
          throw error;
        }),
    /** @throws badRequest unless the server is stopped now, {@link PanelFailure} where nobody tells */
    async requireStopped(server: LocatedServer, requestId: string): Promise<void> {
      const state = await answerWithin(waitMs, sources.stateNow(server, requestId));
      if (state === 'unknown') throw new PanelFailure('node', { reason: 'its state is unknown' });
      if (state !== 'offline') throw badRequest(`The server is ${state}; stop it first`);
    },
    beginChange: (...call: Parameters<StateSources['beginChange']>) => sources.beginChange(...call),
    beginRestore: (server: LocatedServer) => sources.beginRestore(server),
  };
}

const untold: readonly FailureKind[] = [
  'throttled',
  'reserved',
  'serverThrottled',
  'customerThrottled',
  'busy',
  'nodeBusy',
  'nodeTimedOut',
];

/** Of a panel that is up: the panel is spared, or the node could not be asked or has not answered in time. */
const isUntold = (error: unknown): error is PanelFailure =>
  error instanceof PanelFailure && untold.includes(error.kind);

/** Of one caller at once, who may have many servers. */
const callsPerCallerMax = 5;

/** Reads the states of several servers within seconds; nothing fails but the state of one server. */
const createReadMany = (sources: StateSources, { clock, statesWaitMs }: PanelSettings) =>
  async function readMany(servers: readonly PanelServer[], requestId: string, freshMs?: number) {
    await sources.heedOthers();
    const states = new Map<string, PanelResources>();
    for (const server of servers) {
      const known = server.isSuspended ? unknownFor('suspended', clock()) : sources.known(server, freshMs);
      if (known) states.set(server.identifier, known);
    }
    const missing = servers.filter(({ identifier }) => !states.has(identifier));
    let isLate = false;
    const reading = pLimit(callsPerCallerMax).map(missing, async (server) => {
      if (isLate) return;
      // Only the watch over servers names an age; its calls have a budget of their own.
      const subject = freshMs === undefined ? server : uncounted(server);
      const asked = sources.get(subject, { requestId, freshMs });
      states.set(server.identifier, await asked.catch((error: unknown) => unknownAfter(error, clock())));
    });
    if (missing.length > 0) await withTimeout(statesWaitMs, reading).catch(ignoreTimeout);
    isLate = true;
    const late = 'The state could not be read in time.';
    return servers.map(({ identifier }) => states.get(identifier) ?? unknownState(late, clock()));
  };

function unknownAfter(error: unknown, now: number): PanelResources {
  if (error instanceof PanelFailure) return unknownFor(error.kind, now);
  if (error instanceof ApiError) return unknownState('The panel no longer has the server.', now);
  throw error;
}

function ignoreTimeout(error: unknown) {
  if (!(error instanceof TimeoutError)) throw error;
}
