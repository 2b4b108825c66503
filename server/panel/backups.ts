/** Backups of each server, from the client API. Lists are cached and coalesced; a download link is never kept. */

import { notFound } from '../../routers/errors.ts';
import type { PanelBackup, PanelBackupList } from '../../routers/panel-port.ts';
import { createCache } from './cache.ts';
import { pathSegment } from './http-client.ts';
import type { PanelSettings } from './options.ts';
import { expecting, type PanelApiClient, serverPath } from './panel-api.ts';
import { parseBackup, parseBackupLink, parseBackupPage } from './parse-backups.ts';

/** The most the panel puts on a page. */
const pageSize = 50;
/** Backups beyond these pages are not shown. */
const pagesMax = 10;

export function createBackups(api: PanelApiClient, settings: PanelSettings) {
  const { clock, liveTtlMs, staleMsMax } = settings;

  const cache = createCache<string, PanelBackupList>({
    load: createLoad(api),
    clock,
    entriesMax: settings.liveStatesMax,
  });

  return {
    async list(identifier: string, requestId: string): Promise<PanelBackupList> {
      const cached = cache.peek(identifier, api.allowsReads() ? liveTtlMs : staleMsMax);
      if (cached) return cached;
      api.requireReads();
      return cache.get(identifier, { requestId, ageMsMax: liveTtlMs });
    },
    async create(identifier: string, name: string | undefined, requestId: string): Promise<PanelBackup> {
      const json = { ...(name !== undefined && { name }), is_locked: false };
      const request = { path: serverPath(identifier, 'backups'), json, requestId };
      return api
        .send(request, expecting([200, 201], 'Server', parseBackup))
        .finally(() => cache.drop(identifier));
    },
    async getLink(identifier: string, uuid: string, requestId: string) {
      const segment = pathSegment(uuid);
      if (segment === null) throw notFound('Backup');
      api.requireReads();
      return api.send(
        { path: serverPath(identifier, `backups/${segment}/download`), requestId },
        expecting([200], 'Backup', (body) => parseBackupLink(body, clock())),
      );
    },
  };
}

function createLoad(api: PanelApiClient) {
  const loadPage = (identifier: string, page: number, requestId: string) =>
    api.send(
      { path: serverPath(identifier, `backups?per_page=${pageSize}&page=${page}`), requestId },
      expecting([200], 'Server', parseBackupPage),
    );

  return async (identifier: string, requestId: string): Promise<PanelBackupList> => {
    const { total, pageCount, backups } = await loadPage(identifier, 1, requestId);
    for (let page = 2; page <= Math.min(pageCount, pagesMax); page += 1)
      backups.push(...(await loadPage(identifier, page, requestId)).backups);
    const newestFirst = backups.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
    return Object.freeze({ backups: newestFirst.map((backup) => Object.freeze(backup)), total });
  };
}
