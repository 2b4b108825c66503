/** Backups of each server, from the client API. Lists are cached and coalesced; a download link is never kept. */

import { z } from 'zod';
import { notFound } from '../../routers/errors.ts';
import type { LocatedServer, PanelBackup, PanelBackupList } from '../../routers/panel-port.ts';
import { shownText } from '../../routers/schemas/text.ts';
import { pathSegment } from './http-client.ts';
import type { PanelSettings } from './options.ts';
import { expecting, parseBody } from './panel-api.ts';
import { createReads } from './reads.ts';
import type { ServerApi } from './server-api.ts';
import { parseSignedLink } from './signed-link.ts';
import { panelTime } from './time.ts';

/** The most the panel puts on a page. */
const pageSize = 50;
/** Backups beyond these pages are not shown. */
const pagesMax = 10;

export function createBackups(api: ServerApi, settings: PanelSettings) {
  const { clock, liveTtlMs, progressTtlMs, staleMsMax: staleMs, liveWaitMs: waitMs } = settings;
  const lists = createReads<LocatedServer, PanelBackupList>({
    api,
    load: createLoad(api),
    keyOf: ({ identifier }) => identifier,
    clock,
    entriesMax: settings.liveStatesMax,
  });

  return {
    list(server: LocatedServer, requestId: string): Promise<PanelBackupList> {
      const policy = { freshMs: liveTtlMs, staleMs, waitMs };
      const freshMs = isInProgress(lists.known(server, policy)) ? progressTtlMs : liveTtlMs;
      return lists.get(server, requestId, { ...policy, freshMs });
    },
    async create(server: LocatedServer, name: string | undefined, requestId: string): Promise<PanelBackup> {
      const json = { ...(name !== undefined && { name }), is_locked: false };
      const created = api.send(
        { server, rest: 'backups', json, requestId },
        expecting([200, 201], 'Server', parseBackup),
      );
      return created.finally(() => lists.drop(server.identifier));
    },
    async getLink(server: LocatedServer, uuid: string, requestId: string) {
      const segment = pathSegment(uuid);
      if (segment === null) throw notFound('Backup');
      api.requireReads();
      return api.send(
        { server, rest: `backups/${segment}/download`, requestId, needsNode: false },
        expecting([200], 'Backup', (body) => parseSignedLink(body, clock())),
      );
    },
  };
}

const isInProgress = (list: PanelBackupList | undefined) =>
  list?.backups.some(({ completedAt }) => completedAt === null) ?? false;

function createLoad(api: ServerApi) {
  const loadPage = (server: LocatedServer, page: number, requestId: string) =>
    api.send(
      { server, rest: `backups?per_page=${pageSize}&page=${page}`, requestId, needsNode: false },
      expecting([200], 'Server', parseBackupPage),
    );

  return async (server: LocatedServer, requestId: string): Promise<PanelBackupList> => {
    const { total, pageCount, backups } = await loadPage(server, 1, requestId);
    for (let page = 2; page <= Math.min(pageCount, pagesMax); page += 1)
      backups.push(...(await loadPage(server, page, requestId)).backups);
    const newestFirst = backups.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
    return Object.freeze({ backups: newestFirst.map((backup) => Object.freeze(backup)), total });
  };
}

const BackupItem = z.object({
  attributes: z.object({
    uuid: z.string().min(1),
    name: z.string().overwrite(shownText),
    bytes: z.number().catch(0),
    checksum: z.string().nullable().catch(null),
    is_successful: z.boolean().catch(false),
    is_locked: z.boolean().catch(false),
    created_at: panelTime,
    completed_at: panelTime.nullable().catch(null),
  }),
});

const BackupPage = z.object({
  data: z.array(BackupItem),
  meta: z.object({
    backup_count: z.int().optional().catch(undefined),
    pagination: z.object({ total: z.int(), total_pages: z.int() }),
  }),
});

/** One page of `GET /api/client/servers/{identifier}/backups`. */
function parseBackupPage(body: unknown) {
  const { data, meta } = parseBody(BackupPage, body);
  return {
    backups: data.map(toPanelBackup),
    total: meta.backup_count ?? meta.pagination.total,
    pageCount: meta.pagination.total_pages,
  };
}

const parseBackup = (body: unknown): PanelBackup => toPanelBackup(parseBody(BackupItem, body));

const toPanelBackup = ({ attributes }: z.infer<typeof BackupItem>): PanelBackup => ({
  uuid: attributes.uuid,
  name: attributes.name,
  bytes: attributes.bytes,
  checksum: attributes.checksum,
  isSuccessful: attributes.is_successful,
  isLocked: attributes.is_locked,
  createdAt: attributes.created_at,
  completedAt: attributes.completed_at,
});
