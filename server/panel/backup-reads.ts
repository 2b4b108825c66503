/** Reads of backups: lists that callers share, and one look at the panel at a time for all who wait for a server's backups. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { notFound } from '../../routers/errors.ts';
import type { BackupWait, LocatedServer, PanelBackup, PanelBackupList } from '../../routers/panel-port.ts';
import type { PanelSettings } from './options.ts';
import type { createReads } from './reads.ts';
import type { ServerApi } from './server-api.ts';

type Lists = ReturnType<typeof createReads<LocatedServer, PanelBackupList>>;

/** The next look at a server's backups. */
interface Look {
  waiters: number;
  /** Null where the panel failed, or nobody waits any more. */
  outcome: Promise<PanelBackupList | null>;
}

export class BackupReads {
  readonly #api: Pick<ServerApi, 'requireReads'>;
  readonly #lists: Lists;
  readonly #settings: PanelSettings;
  /** By the server's identifier. */
  readonly #looks = new Map<string, Look>();

  constructor(api: Pick<ServerApi, 'requireReads'>, lists: Lists, settings: PanelSettings) {
    this.#api = api;
    this.#lists = lists;
    this.#settings = settings;
  }

  list(server: LocatedServer, requestId: string): Promise<PanelBackupList> {
    return this.#lists.get(server, requestId, this.#policyOf(server));
  }

  /** @throws notFound for a backup that the server does not have, or no longer has */
  async get(server: LocatedServer, uuid: string, { requestId, until }: BackupWait): Promise<PanelBackup> {
    let backup = await this.find(server, uuid, requestId);
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

  /** @throws notFound for a backup that the server does not have */
  async find(server: LocatedServer, uuid: string, requestId: string): Promise<PanelBackup> {
    const known = this.#lists.known(server, this.#policyOf(server));
    const found = known?.backups.find((backup) => backup.uuid === uuid);
    // Another one may have been created since then, in another process or in the panel.
    return found ?? this.findNow(server, uuid, requestId);
  }

  /** The same, read anew. */
  async findNow(server: LocatedServer, uuid: string, requestId: string): Promise<PanelBackup> {
    return pick(await this.listNow(server, requestId), uuid);
  }

  async listNow(server: LocatedServer, requestId: string): Promise<PanelBackupList> {
    this.#api.requireReads();
    return this.#readNow(server, requestId);
  }

  #readNow(server: LocatedServer, requestId: string): Promise<PanelBackupList> {
    return this.#lists.get(server, requestId, { ...this.#policyOf(server), freshMs: 0, staleMs: null });
  }

  #policyOf(server: LocatedServer) {
    const { liveTtlMs, progressTtlMs, staleMsMax: staleMs, liveWaitMs: waitMs } = this.#settings;
    const policy = { freshMs: liveTtlMs, staleMs, waitMs };
    return isInProgress(this.#lists.known(server, policy)) ? { ...policy, freshMs: progressTtlMs } : policy;
  }

  #lookOf(server: LocatedServer, requestId: string): Look {
    const { identifier } = server;
    const planned = this.#looks.get(identifier);
    if (planned) return planned;
    const look: Look = { waiters: 0, outcome: this.#look(server, requestId) };
    this.#looks.set(identifier, look);
    return look;
  }

  async #look(server: LocatedServer, requestId: string): Promise<PanelBackupList | null> {
    const { identifier } = server;
    await delay(this.#settings.progressTtlMs);
    try {
      if (this.#looks.get(identifier)?.waiters === 0) return null;
      return await this.listNow(server, requestId);
    } catch {
      return null;
    } finally {
      this.#looks.delete(identifier);
    }
  }
}

function pick({ backups }: PanelBackupList, uuid: string): PanelBackup {
  const found = backups.find((backup) => backup.uuid === uuid);
  if (!found) throw notFound('Backup');
  return found;
}

const isInProgress = (list: PanelBackupList | undefined) =>
  list?.backups.some(({ completedAt }) => completedAt === null) ?? false;
