/**
 * Backups of each server, from the client API. Lists are shared by callers; all who wait for a server's backups share one look at
 * the panel at a time. Links are never kept.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ApiError, badRequest, notFound } from '../../routers/errors.ts';
import type {
  Attempt,
  BackupCreation,
  BackupRestore,
  BackupWait,
  LocatedServer,
  PanelBackup,
  PanelBackupList,
} from '../../routers/panel-port.ts';
import { shownLine } from '../../routers/schemas/text.ts';
import { PanelFailure, rethrowFor } from './failures.ts';
import { pathSegment } from './http-client.ts';
import { beginningOnly, createDownload } from './node-download.ts';
import type { PanelSettings } from './options.ts';
import { expecting, parseBody } from './panel-api.ts';
import { keptServersMax } from './panel-call.ts';
import { createReads, liveTtlMs } from './reads.ts';
import type { ServerApi } from './server-api.ts';
import { parseSignedLink } from './signed-link.ts';
import { panelTime } from './time.ts';

/** The most the panel puts on a page. */
const pageSize = 50;
/** Backups beyond these pages are not shown. */
const pagesMax = 10;
/** Of a creation that is repeated: the panel's clock may be another one, and a call may wait. */
const creationMs = 60_000;
/** As panels name a backup for which no name is given. */
const givenName = /^Backup at /;

/** The next look at a server's backups. */
interface Look {
  waiters: number;
  /** Null where the panel failed, or nobody waits any more. */
  outcome: Promise<PanelBackupList | null>;
}

export class Backups {
  readonly #api: ServerApi;
  readonly #settings: PanelSettings;
  readonly #lists;
  readonly #download;
  /** By the server's identifier. */
  readonly #looks = new Map<string, Look>();

  constructor(api: ServerApi, settings: PanelSettings) {
    this.#api = api;
    this.#settings = settings;
    this.#download = createDownload(settings);
    this.#lists = createReads<LocatedServer, PanelBackupList>({
      api,
      load: (server, requestId) => this.#load(server, requestId),
      keyOf: ({ identifier }) => identifier,
      clock: settings.clock,
      entriesMax: keptServersMax,
    });
  }

  list(server: LocatedServer, requestId: string): Promise<PanelBackupList> {
    return this.#lists.get(server, requestId, this.#policyOf(server));
  }

  /** @throws notFound for a backup that the server does not have, or no longer has */
  async get(server: LocatedServer, uuid: string, { requestId, until }: BackupWait): Promise<PanelBackup> {
    let backup = await this.#find(server, uuid, requestId);
    if (!until) return backup;
    const ended = once(until, 'abort').then(() => null);
    while (!backup.completedAt && !until.aborted) {
      const look = this.#lookOf(server, requestId);
      look.waiters += 1;
      const list = await Promise.race([look.outcome, ended]);
      look.waiters -= 1;
      if (list) backup = pick(list, uuid);
    }
    return backup;
  }

  async create(server: LocatedServer, creation: BackupCreation, requestId: string): Promise<PanelBackup> {
    const made = await this.#findMade(server, creation, requestId);
    if (made) return made;
    const { name } = creation;
    const json = { ...(name !== undefined && { name }), is_locked: false };
    const created = this.#api.send(
      { server, rest: 'backups', json, requestId },
      expecting([200, 201], 'Server', (body) => toPanelBackup(parseBody(BackupItem, body))),
    );
    return created.finally(() => this.#lists.drop(server.identifier));
  }

  async delete(server: LocatedServer, uuid: string, { requestId, isRepeated }: Attempt): Promise<void> {
    const find = isRepeated ? this.#findNow(server, uuid, requestId) : this.#find(server, uuid, requestId);
    const found = await find.catch((failure: unknown) => {
      // An earlier try has deleted it.
      if (isRepeated && failure instanceof ApiError && failure.apiCode === 'not_found') return null;
      return rethrowFor('read')(failure);
    });
    if (found) await this.#change({ server, rest: restOf(uuid), requestId, method: 'DELETE' });
  }

  /** Looked at anew: a restore of what is not complete would leave the server without its files. */
  async requireRestorable(server: LocatedServer, uuid: string, requestId: string): Promise<void> {
    const { completedAt, isSuccessful } = await this.#findNow(server, uuid, requestId);
    if (!completedAt) throw badRequest('The backup is not completed yet');
    if (!isSuccessful) throw badRequest('The backup failed, so there is nothing to restore');
  }

  /** @throws badRequest where the node or the store has lost the archive */
  async requireArchive(server: LocatedServer, uuid: string, requestId: string): Promise<void> {
    const { url } = await this.getLink(server, uuid, requestId);
    await this.#download(server, url, beginningOnly).catch((failure: unknown) => {
      if (isGone(failure))
        throw badRequest('The archive of the backup is gone: nothing was deleted', failure);
      throw failure;
    });
  }

  async restore(
    server: LocatedServer,
    { uuid, deletesFiles }: BackupRestore,
    requestId: string,
  ): Promise<void> {
    const json = { truncate: deletesFiles };
    return this.#change({ server, rest: `${restOf(uuid)}/restore`, requestId, json });
  }

  async getLink(server: LocatedServer, uuid: string, requestId: string) {
    const rest = `${restOf(uuid)}/download`;
    this.#api.requireReads();
    const parse = (body: unknown) => parseSignedLink(body, this.#settings.clock());
    return this.#api.send({ server, rest, requestId, needsNode: false }, expecting([200], 'Backup', parse));
  }

  #change(call: Parameters<ServerApi['send']>[0]): Promise<void> {
    const changed = this.#api.send(
      call,
      expecting([204], 'Backup', () => {}),
    );
    return changed.finally(() => this.#lists.drop(call.server.identifier));
  }

  /** What an earlier try has created: of that name, about that time. */
  async #findMade(server: LocatedServer, { name, triedAt }: BackupCreation, requestId: string) {
    if (!triedAt) return undefined;
    const { backups } = await this.#listNow(server, requestId);
    return backups.find(
      (backup) =>
        (name === undefined ? givenName.test(backup.name) : backup.name === shownLine(name)) &&
        Math.abs(Date.parse(backup.createdAt) - triedAt.getTime()) <= creationMs,
    );
  }

  /** @throws notFound for a backup that the server does not have */
  async #find(server: LocatedServer, uuid: string, requestId: string): Promise<PanelBackup> {
    const known = this.#lists.known(server, this.#policyOf(server).freshMs);
    const found = known?.backups.find((backup) => backup.uuid === uuid);
    // Another one may have been created since then, in another process or in the panel.
    return found ?? this.#findNow(server, uuid, requestId);
  }

  /** The same, read anew. */
  async #findNow(server: LocatedServer, uuid: string, requestId: string): Promise<PanelBackup> {
    return pick(await this.#listNow(server, requestId), uuid);
  }

  async #listNow(server: LocatedServer, requestId: string): Promise<PanelBackupList> {
    this.#api.requireReads();
    return this.#lists.get(server, requestId, { ...this.#policyOf(server), freshMs: 0, mayUseReserve: true });
  }

  #policyOf(server: LocatedServer) {
    const { progressTtlMs, liveWaitMs: waitMs } = this.#settings;
    const known = this.#lists.known(server, liveTtlMs)?.backups;
    const isInProgress = known?.some(({ completedAt }) => completedAt === null);
    return { freshMs: isInProgress ? progressTtlMs : liveTtlMs, waitMs };
  }

  #lookOf(server: LocatedServer, requestId: string): Look {
    const planned = this.#looks.get(server.identifier);
    if (planned) return planned;
    const look: Look = { waiters: 0, outcome: this.#look(server, requestId) };
    this.#looks.set(server.identifier, look);
    return look;
  }

  async #look(server: LocatedServer, requestId: string): Promise<PanelBackupList | null> {
    await delay(this.#settings.progressTtlMs);
    try {
      if (this.#looks.get(server.identifier)?.waiters === 0) return null;
      return await this.#listNow(server, requestId);
    } catch {
      return null;
    } finally {
      this.#looks.delete(server.identifier);
    }
  }

  async #load(server: LocatedServer, requestId: string): Promise<PanelBackupList> {
    const backups: PanelBackup[] = [];
    let total = 0;
    for (let page = 1, pageCount = 1; page <= Math.min(pageCount, pagesMax); page += 1) {
      const { data, meta } = await this.#api.send(
        { server, rest: `backups?per_page=${pageSize}&page=${page}`, requestId, needsNode: false },
        expecting([200], 'Server', (body) => parseBody(BackupPage, body)),
      );
      backups.push(...data.map(toPanelBackup));
      total = meta.backup_count ?? meta.pagination.total;
      pageCount = meta.pagination.total_pages;
    }
    const newestFirst = backups.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
    return Object.freeze({ backups: newestFirst, total });
  }
}

/** A store that does not tell what it has says 403. */
const isGone = (failure: unknown) =>
  failure instanceof PanelFailure && [403, 404].includes(failure.details.status ?? 0);

/** @throws notFound for a uuid that fits in no path */
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

/** `GET /api/client/servers/{identifier}/backups` */
const BackupPage = z.object({
  data: z.array(BackupItem),
  meta: z.object({
    backup_count: z.int().optional().catch(undefined),
    pagination: z.object({ total: z.int(), total_pages: z.int() }),
  }),
});

const toPanelBackup = ({ attributes }: z.infer<typeof BackupItem>): PanelBackup =>
  Object.freeze({
    uuid: attributes.uuid,
    name: attributes.name,
    bytes: attributes.bytes,
    checksum: attributes.checksum,
    isSuccessful: attributes.is_successful,
    isLocked: attributes.is_locked,
    createdAt: attributes.created_at,
    completedAt: attributes.completed_at,
  });
