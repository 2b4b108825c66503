/** The backups of each server, from the client API. Lists are cached, and concurrent reads are shared. Links are never cached. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createCache } from '../../models/support/cache.ts';
import { dayMs } from '../../models/support/durations.ts';
import { ApiError, backupTooOld, badRequest, conflict, notFound } from '../../routers/errors.ts';
import type {
  BackupCreation,
  BackupRestore,
  BackupWait,
  OwnedServer,
  PanelBackup,
  PanelBackupList,
  WriteAttempt,
} from '../../routers/panel-port.ts';
import { cleanSingleLine } from '../../routers/schemas/text.ts';
import { PanelFailure, rethrowFor } from './failures.ts';
import { pathSegment } from './http-client.ts';
import { createDownload, firstByteSink, parseSignedLink } from './node-download.ts';
import { expecting, panelTime, parseBody, type ReadResponse } from './panel-api.ts';
import { keptServersMax } from './panel-call.ts';
import { createCachedReads, liveTtlMs } from './reads.ts';
import type { ServerApi, ServerCall } from './server-api.ts';
import type { PanelSettings } from './settings.ts';

const pageSize = 50;
const pagesMax = 10;
/** How far a backup's creation time may be from the try that created it: clocks differ, and a call may wait. */
const creationToleranceMs = 60_000;
/** Panels name a backup this way if the caller gives no name. */
const defaultName = /^Backup at /;

export class Backups {
  readonly #api: ServerApi;
  readonly #settings: PanelSettings;
  readonly #lists;
  readonly #download;
  /** `list` is null if the panel failed. */
  readonly #newLists;

  constructor(api: ServerApi, settings: PanelSettings) {
    this.#api = api;
    this.#settings = settings;
    this.#download = createDownload(settings);
    const ofServer = {
      keyOf: ({ identifier }: OwnedServer) => identifier,
      clock: settings.clock,
      entriesMax: keptServersMax,
    };
    this.#lists = createCachedReads<OwnedServer, PanelBackupList>({
      ...ofServer,
      api,
      load: (server, requestId) => this.#load(server, requestId),
    });
    this.#newLists = createCache<OwnedServer, { list: PanelBackupList | null }>({
      ...ofServer,
      clock: () => performance.now(),
      load: async (server, requestId) => ({ list: await this.#listNow(server, requestId).catch(() => null) }),
    });
  }

  list(server: OwnedServer, requestId: string): Promise<PanelBackupList> {
    return this.#lists.get(server, requestId, this.#policyOf(server));
  }

  async get(server: OwnedServer, uuid: string, { requestId, until }: BackupWait): Promise<PanelBackup> {
    let backup = await this.#find(server, uuid, requestId);
    if (!until) return backup;
    const { progressTtlMs: ageMsMax } = this.#settings;
    const ended = once(until, 'abort').then(() => ({ list: null }));
    while (!backup.completedAt && !until.aborted) {
      await Promise.race([delay(ageMsMax), ended]);
      if (until.aborted) break;
      const { list } = await Promise.race([this.#newLists.get(server, { requestId, ageMsMax }), ended]);
      if (list) backup = pick(list, uuid);
    }
    return backup;
  }

  async create(server: OwnedServer, creation: BackupCreation, requestId: string): Promise<PanelBackup> {
    const made = await this.#findMade(server, creation, requestId);
    if (made) return made;
    const { name } = creation;
    const json = { ...(name !== undefined && { name }), is_locked: false };
    const read = expecting([200, 201], 'Server', (body) => parseBody(BackupItem, body));
    return this.#change({ server, rest: 'backups', json, requestId }, read);
  }

  async delete(
    server: OwnedServer,
    uuid: string,
    { requestId, mayHaveHappened }: WriteAttempt,
  ): Promise<void> {
    const find = mayHaveHappened
      ? this.#findNow(server, uuid, requestId)
      : this.#find(server, uuid, requestId);
    const found = await find.catch((failure: unknown) => {
      if (mayHaveHappened && failure instanceof ApiError && failure.apiCode === 'not_found') return null;
      return rethrowFor('read')(failure);
    });
    if (found) await this.#change({ server, rest: restOf(uuid), requestId, method: 'DELETE' }, readAccepted);
  }

  /** Reads the list again: restoring an incomplete backup would leave the server without its files. */
  async requireRestorable(server: OwnedServer, uuid: string, requestId: string): Promise<void> {
    const { completedAt, isSuccessful } = await this.#findNow(server, uuid, requestId);
    if (!completedAt) throw badRequest('The backup is not completed yet');
    if (!isSuccessful) throw badRequest('The backup failed, so there is nothing to restore');
  }

  /** @throws badRequest if `uuid` is not a successful backup of the last day, conflict while any backup is in progress */
  async requireReinstallable(server: OwnedServer, uuid: string | null, requestId: string): Promise<void> {
    const { backups } = await this.#listNow(server, requestId);
    const backup = backups.find((each) => each.uuid === uuid);
    if (uuid !== null && !backup) throw badRequest('backup is not a backup of this server');
    if (backup && !(backup.completedAt && backup.isSuccessful))
      throw badRequest(`backup ${backup.completedAt ? 'has failed' : 'is not completed yet'}`);
    if (backup && Date.parse(backup.createdAt) < this.#settings.clock() - dayMs) throw backupTooOld();
    if (backups.some(({ completedAt }) => completedAt === null))
      throw conflict('A backup of the server is in progress: wait until it is completed');
  }

  /** @throws badRequest if the node or the store has lost the archive */
  async requireArchive(server: OwnedServer, uuid: string, requestId: string): Promise<void> {
    const { url } = await this.getLink(server, uuid, requestId);
    await this.#download(server, url, firstByteSink).catch((failure: unknown) => {
      // An S3 store that hides which objects exist responds with 403.
      const isGone = failure instanceof PanelFailure && [403, 404].includes(failure.details.status ?? 0);
      throw isGone ? badRequest('The archive of the backup is gone: nothing was deleted', failure) : failure;
    });
  }

  async restore(server: OwnedServer, { uuid, deletesFiles }: BackupRestore, requestId: string) {
    const json = { truncate: deletesFiles };
    return this.#change({ server, rest: `${restOf(uuid)}/restore`, requestId, json }, readAccepted);
  }

  async getLink(server: OwnedServer, uuid: string, requestId: string) {
    const rest = `${restOf(uuid)}/download`;
    const parse = (body: unknown) => parseSignedLink(body, this.#settings.clock());
    return this.#api.send({ server, rest, requestId, needsNode: false }, expecting([200], 'Backup', parse));
  }

  #change<Value>(call: ServerCall, read: ReadResponse<Value>): Promise<Value> {
    return this.#api.send(call, read).finally(() => this.#lists.drop(call.server.identifier));
  }

  async #findMade(server: OwnedServer, { name, earlierTryAt }: BackupCreation, requestId: string) {
    if (!earlierTryAt) return undefined;
    const { backups } = await this.#listNow(server, requestId);
    return backups.find(
      (backup) =>
        (name === undefined ? defaultName.test(backup.name) : backup.name === cleanSingleLine(name)) &&
        Math.abs(Date.parse(backup.createdAt) - earlierTryAt.getTime()) <= creationToleranceMs,
    );
  }

  async #find(server: OwnedServer, uuid: string, requestId: string): Promise<PanelBackup> {
    const known = this.#lists.known(server, this.#policyOf(server).freshMs);
    const found = known?.backups.find((backup) => backup.uuid === uuid);
    // Another process or the panel may have created the backup since the list was read.
    return found ?? this.#findNow(server, uuid, requestId);
  }

  async #findNow(server: OwnedServer, uuid: string, requestId: string): Promise<PanelBackup> {
    return pick(await this.#listNow(server, requestId), uuid);
  }

  async #listNow(server: OwnedServer, requestId: string): Promise<PanelBackupList> {
    return this.#lists.get(server, requestId, { ...this.#policyOf(server), freshMs: 0, mayUseReserve: true });
  }

  #policyOf(server: OwnedServer) {
    const { progressTtlMs, liveWaitMs: waitMs } = this.#settings;
    const known = this.#lists.known(server, liveTtlMs)?.backups;
    const isInProgress = known?.some(({ completedAt }) => completedAt === null);
    return { freshMs: isInProgress ? progressTtlMs : liveTtlMs, waitMs };
  }

  async #load(server: OwnedServer, requestId: string): Promise<PanelBackupList> {
    const backups: PanelBackup[] = [];
    let total = 0;
    for (let page = 1, pageCount = 1; page <= Math.min(pageCount, pagesMax); page += 1) {
      const { data, meta } = await this.#api.send(
        { server, rest: `backups?per_page=${pageSize}&page=${page}`, requestId, needsNode: false },
        expecting([200], 'Server', (body) => parseBody(BackupPage, body)),
      );
      backups.push(...data);
      total = meta.backup_count ?? meta.pagination.total;
      pageCount = meta.pagination.total_pages;
    }
    const newestFirst = backups.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
    return Object.freeze({ backups: newestFirst, total });
  }
}

const readAccepted = expecting([204], 'Backup', () => {});

function restOf(uuid: string): string {
  const segment = pathSegment(uuid);
  if (segment === null) throw notFound('Backup');
  return `backups/${segment}`;
}

function pick({ backups }: PanelBackupList, uuid: string): PanelBackup {
  const found = backups.find((backup) => backup.uuid === uuid);
  if (!found) throw notFound('Backup');
  return found;
}

const BackupItem = z
  .object({
    attributes: z.object({
      uuid: z.string().min(1),
      name: z.string().overwrite(cleanSingleLine),
      bytes: z.number().catch(0),
      checksum: z.string().nullable().catch(null),
      is_successful: z.boolean().catch(false),
      is_locked: z.boolean().catch(false),
      created_at: panelTime,
      completed_at: panelTime.nullable().catch(null),
    }),
  })
  .transform(
    ({ attributes: { is_successful, is_locked, created_at, completed_at, ...backup } }): PanelBackup =>
      Object.freeze({
        ...backup,
        isSuccessful: is_successful,
        isLocked: is_locked,
        createdAt: created_at,
        completedAt: completed_at,
      }),
  );

const BackupPage = z.object({
  data: z.array(BackupItem),
  meta: z.object({
    backup_count: z.int().optional().catch(undefined),
    pagination: z.object({ total: z.int(), total_pages: z.int() }),
  }),
});
