/** The lists of each user's servers, from the application API; every decision about ownership is made on them. */
import type { ListPurpose, PanelServer } from '../../routers/panel-port.ts';
import { createCache } from './cache.ts';
import { diagnose, isNotFound } from './diagnose.ts';
import type { PanelSettings } from './options.ts';
import type { PanelApiClient } from './panel-api.ts';
import { parseServers } from './parse-servers.ts';

interface Ages {
  /** How old a cached list may be. */
  ageMsMax: number;
  /** The same while only the reserve for writes is left of the panel's rate limit; null: the reserve may be used. */
  staleMsMax: number | null;
}

export function createServerLists(api: PanelApiClient, settings: PanelSettings) {
  const { listTtlMs, staleMsMax } = settings;
  const ages: Record<ListPurpose, Ages> = {
    action: { ageMsMax: listTtlMs, staleMsMax: null },
    list: { ageMsMax: listTtlMs, staleMsMax },
    detail: { ageMsMax: settings.liveTtlMs, staleMsMax },
    ownership: { ageMsMax: settings.ownershipTtlMs, staleMsMax },
  };
  const cache = createCache<number, PanelServer[]>({
    clock: settings.clock,
    entriesMax: settings.listsMax,
    load: (userId, requestId) =>
      api.send(
        { path: `api/application/users/${userId}?include=servers.allocations`, requestId },
        (response) => {
          if (isNotFound(response)) return [];
          if (response.status !== 200) throw diagnose(response);
          return parseServers(response.body, settings);
        },
      ),
  });

  return async (userId: number, requestId: string, purpose: ListPurpose = 'list') => {
    const { ageMsMax, staleMsMax } = ages[purpose];
    const cached = cache.peek(userId, ageMsMax);
    if (cached) return cached;
    if (staleMsMax !== null && !api.allowsReads()) {
      const stale = cache.peek(userId, staleMsMax);
      if (stale) return stale;
      api.requireReads();
    }
    return cache.get(userId, { requestId, ageMsMax });
  };
}
