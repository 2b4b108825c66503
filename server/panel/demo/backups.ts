/** The demo panel's backups: each takes a few seconds of the service's clock, and downloads as a small text file. */
import { randomUUID } from 'node:crypto';
import type Router from '@koa/router';
import type { Middleware } from 'koa';
import rawBody from 'raw-body';
import { z } from 'zod';
import type { Clock } from '../../../routers/ports.ts';
import { notFound, tooManyBackups } from './errors.ts';
import type { Fleet } from './fleet.ts';
import { backupsMax } from './present.ts';
import type { DemoServer } from './servers.ts';

const path = '/api/client/servers/:identifier/backups';
const durationMs = 4_000;
const linkLifetimeSeconds = 900;

interface DemoBackup {
  uuid: string;
  name: string;
  serverId: number;
  createdAt: number;
}

interface BackupOptions {
  clock: Clock;
  fleet: Fleet;
  requireClientKey: Middleware;
}

export function addBackups(router: Router, { clock, fleet, requireClientKey }: BackupOptions) {
  const backups: DemoBackup[] = [];
  const listOf = ({ id }: DemoServer) => backups.filter(({ serverId }) => serverId === id);
  addDownloads(router, { clock, fleet, requireClientKey, backups });

  router.get(path, requireClientKey, (ctx) => {
    const { server } = fleet.findUsable(ctx.params['identifier']);
    const data = listOf(server).map((backup) => present(backup, server, clock()));
    const pagination = { total: data.length, count: data.length, current_page: 1, total_pages: 1 };
    ctx.body = { object: 'list', data, meta: { backup_count: data.length, pagination } };
  });
  router.post(path, requireClientKey, async (ctx) => {
    const { server } = fleet.findUsable(ctx.params['identifier']);
    if (listOf(server).length >= backupsMax) throw tooManyBackups();
    const { name } = BackupBody.parse(
      JSON.parse(await rawBody(ctx.req, { encoding: 'utf8', limit: '16kb' })),
    );
    const createdAt = clock();
    const backup = {
      uuid: randomUUID(),
      name: name ?? `Backup at ${new Date(createdAt).toISOString()}`,
      serverId: server.id,
      createdAt,
    };
    backups.push(backup);
    ctx.body = present(backup, server, createdAt);
  });
}

interface DownloadOptions extends BackupOptions {
  backups: readonly DemoBackup[];
}

function addDownloads(router: Router, { clock, fleet, requireClientKey, backups }: DownloadOptions) {
  router.get(`${path}/:uuid/download`, requireClientKey, (ctx) => {
    const { server } = fleet.findUsable(ctx.params['identifier']);
    const backup = backups.find(
      ({ uuid, serverId }) => uuid === ctx.params['uuid'] && serverId === server.id,
    );
    if (!backup) throw notFound();
    const exp = Math.floor(clock() / 1000) + linkLifetimeSeconds;
    const claims = Buffer.from(JSON.stringify({ exp })).toString('base64url');
    const url = `http://${ctx.host}/download/backup/${backup.uuid}?token=demo.${claims}.unsigned`;
    ctx.body = { object: 'signed_url', attributes: { url } };
  });
  router.get('/download/backup/:uuid', (ctx) => {
    const backup = backups.find(({ uuid }) => uuid === ctx.params['uuid']);
    if (!backup) throw notFound();
    ctx.attachment(`${backup.uuid}.txt`);
    ctx.body = `${backup.name}: a backup of the demo panel holds nothing.\n`;
  });
}

const BackupBody = z.object({ name: z.string().max(191).optional() });

function present({ uuid, name, createdAt }: DemoBackup, { disk }: DemoServer, now: number) {
  const completedAt = createdAt + durationMs;
  const isDone = now >= completedAt;
  return {
    object: 'backup',
    attributes: {
      uuid,
      is_successful: isDone,
      is_locked: false,
      name,
      ignored_files: [],
      checksum: isDone ? `sha1:${uuid.replaceAll('-', '')}` : null,
      bytes: isDone ? disk * 64 * 1024 : 0,
      created_at: toAtom(createdAt),
      completed_at: isDone ? toAtom(completedAt) : null,
    },
  };
}

/** As the panel writes times. */
const toAtom = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');
