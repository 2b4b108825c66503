/**
 * What each server does now, from the client API. Cached and coalesced per server; where the state cannot be told for
 * reasons of the server or its node, it is `unknown` with the reason, which is cached too.
 */
import type { PanelResources } from '../../routers/panel-port.ts';
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import { createCache } from './cache.ts';
import { type FailureKind, failureTable, isOutage, PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { expecting, type PanelApiClient, serverPath } from './panel-api.ts';
import { parseResources } from './parse-resources.ts';

export function createLiveState(api: PanelApiClient, settings: PanelSettings) {
  const { clock, liveTtlMs, staleMsMax, liveWaitMs } = settings;
  const unknown = (kind: FailureKind): PanelResources =>
    unknownState(`${failureTable[kind].event}.`, clock());

  const cache = createCache<string, PanelResources>({
    clock,
    entriesMax: settings.liveStatesMax,
    load: (identifier, requestId) =>
      api
        .send(
          { path: serverPath(identifier, 'resources'), requestId },
          expecting([200], 'Server', (body) => parseResources(body, clock())),
        )
        .catch((error: unknown) => {
          if (!(error instanceof PanelFailure) || isOfPanel(error)) throw error;
          return unknown(error.kind);
        }),
  });

  async function get(identifier: string, requestId: string, purpose: 'read' | 'action' = 'read') {
    const cached = cache.peek(identifier, liveTtlMs);
    if (cached) return cached;
    const fallback = (kind: FailureKind) => cache.peek(identifier, staleMsMax) ?? unknown(kind);
    if (purpose === 'read' && !api.allowsReads()) return fallback('throttled');
    try {
      return await withTimeout(liveWaitMs, cache.get(identifier, { requestId, ageMsMax: liveTtlMs }));
    } catch (error) {
      // The call goes on, and its outcome is cached: a panel waits for a node for longer than a caller should.
      if (error instanceof TimeoutError) return fallback('node');
      if (error instanceof PanelFailure && error.kind === 'throttled') return fallback('throttled');
      throw error;
    }
  }

  return { get, drop: cache.drop };
}

/** Failures that say nothing about the one server. */
const isOfPanel = (failure: PanelFailure) =>
  isOutage(failure) || failure.kind === 'circuitOpen' || failure.kind === 'credentials';

const unknownState = (reason: string, measuredAt: number): PanelResources =>
  Object.freeze({
    state: 'unknown',
    reason,
    memoryBytes: null,
    cpuPercent: null,
    diskBytes: null,
    networkRxBytes: null,
    networkTxBytes: null,
    uptimeMs: null,
    measuredAt,
  });
