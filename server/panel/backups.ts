/** Backups of each server, from the client API: what changes them, and their links, which are never kept. */

import { z } from 'zod';
import { ApiError, badRequest, notFound } from '../../routers/errors.ts';
import type {
  Attempt,
  BackupCreation,
  BackupRestore,
  LocatedServer,
  PanelBackup,
  PanelBackupList,
} from '../../routers/panel-port.ts';
import { shownLine } from '../../routers/schemas/text.ts';
import { BackupReads } from './backup-reads.ts';
import { PanelFailure, rethrowFor } from './failures.ts';
import { pathSegment } from './http-client.ts';
import { beginningOnly, createDownload } from './node-download.ts';
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
  const { clock } = settings;
  const lists = createReads<LocatedServer, PanelBackupList>({
    api,
    load: createLoad(api),
    keyOf: ({ identifier }) => identifier,
    clock,
    entriesMax: settings.liveStatesMax,
  });

  const reads = new BackupReads(api, lists, settings);
  const drop = ({ identifier }: LocatedServer) => lists.drop(identifier);

  return {
    list: (...call: Parameters<BackupReads['list']>) => reads.list(...call),
    get: (...call: Parameters<BackupReads['get']>) => reads.get(...call),
    async create(server: LocatedServer, creation: BackupCreation, requestId: string): Promise<PanelBackup> {
      const { name } = creation;
      const made = await findMade(reads, server, { ...creation, requestId });
      if (made) return made;
      const json = { ...(name !== undefined && { name }), is_locked: false };
      const created = api.send(
        { server, rest: 'backups', json, requestId },
        expecting([200, 201], 'Server', parseBackup),
      );
      return created.finally(() => drop(server));
    },
    ...createChanges(api, reads, drop),
    ...createLinks(api, settings),
  };
}

/** The panel's clock may be another one, and a call may wait. */
const creationMs = 60_000;
/** As panels name a backup for which no name is given. */
const givenName = /^Backup at /;

interface Made extends BackupCreation {
  requestId: string;
}

/** What an earlier try has created: of that name, about that time. */
async function findMade(
  reads: BackupReads,
  server: LocatedServer,
  { name, triedAt, requestId }: Made,
): Promise<PanelBackup | undefined> {
  if (!triedAt) return undefined;
  const { backups } = await reads.listNow(server, requestId);
  return backups.find(
    (backup) =>
      (name === undefined ? givenName.test(backup.name) : backup.name === shownLine(name)) &&
      Math.abs(Date.parse(backup.createdAt) - triedAt.getTime()) <= creationMs,
  );
}

function createLinks(api: ServerApi, settings: PanelSettings) {
  const download = createDownload(settings);
  async function getLink(server: LocatedServer, uuid: string, requestId: string) {
    const call = backupCall(server, uuid, requestId);
    api.requireReads();
    return api.send(
      { ...call, rest: `${call.rest}/download`, needsNode: false },
      expecting([200], 'Backup', (body) => parseSignedLink(body, settings.clock())),
    );
  }

  return {
    getLink,
    /** @throws badRequest where the node or the store has lost the archive */
    async requireArchive(server: LocatedServer, uuid: string, requestId: string): Promise<void> {
      const { url } = await getLink(server, uuid, requestId);
      await download(server, url, beginningOnly).catch((failure: unknown) => {
        if (isGone(failure))
          throw badRequest('The archive of the backup is gone: nothing was deleted', failure);
        throw failure;
      });
    },
  };
}

/** A store that does not tell what it has says 403. */
const isGone = (failure: unknown) =>
  failure instanceof PanelFailure && [403, 404].includes(failure.details.status ?? 0);

/** What changes a backup that there is, or the server by it. */
function createChanges(api: ServerApi, reads: BackupReads, drop: (server: LocatedServer) => void) {
  return {
    async delete(server: LocatedServer, uuid: string, { requestId, isRepeated }: Attempt): Promise<void> {
      const look = isRepeated ? reads.findNow(server, uuid, requestId) : reads.find(server, uuid, requestId);
      const found = await look.catch((failure: unknown) => {
        // An earlier try has deleted it.
        if (isRepeated && failure instanceof ApiError && failure.apiCode === 'not_found') return null;
        return rethrowFor('read')(failure);
      });
      if (!found) return;
      const request = { ...backupCall(server, uuid, requestId), method: 'DELETE' } as const;
      const deleted = api.send(
        request,
        expecting([204], 'Backup', () => {}),
      );
      return deleted.finally(() => drop(server));
    },
    /** Looked at anew: a restore of what is not complete would leave the server without its files. */
    async requireRestorable(server: LocatedServer, uuid: string, requestId: string): Promise<void> {
      const { completedAt, isSuccessful } = await reads.findNow(server, uuid, requestId);
      if (!completedAt) throw badRequest('The backup is not completed yet');
      if (!isSuccessful) throw badRequest('The backup failed, so there is nothing to restore');
    },
    async restore(server: LocatedServer, { uuid, deletesFiles }: BackupRestore, requestId: string) {
      const call = backupCall(server, uuid, requestId);
      const request = { ...call, rest: `${call.rest}/restore`, json: { truncate: deletesFiles } };
      const begun = api.send(
        request,
        expecting([204], 'Backup', () => {}),
      );
      return begun.finally(() => drop(server));
    },
  };
}

const backupCall = (server: LocatedServer, uuid: string, requestId: string) => ({
  ...{ server, rest: `backups/${segmentOf(uuid)}`, requestId },
});

/** @throws notFound for a uuid that fits in no path */
function segmentOf(uuid: string): string {
  const segment = pathSegment(uuid);
  if (segment === null) throw notFound('Backup');
  return segment;
}

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
    name: z.string().overwrite(shownLine),
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
