/** Parses a server's backups, and the link under which one is downloaded. */
import { z } from 'zod';
import type { PanelBackup } from '../../routers/panel-port.ts';
import { PanelFailure } from './failures.ts';

const BackupItem = z.object({
  attributes: z.object({
    uuid: z.string().min(1),
    name: z.string(),
    bytes: z.number().catch(0),
    checksum: z.string().nullable().catch(null),
    is_successful: z.boolean().catch(false),
    is_locked: z.boolean().catch(false),
    created_at: z.string(),
    completed_at: z.string().nullable().catch(null),
  }),
});

const BackupPage = z.object({
  data: z.array(BackupItem),
  meta: z.object({
    backup_count: z.int().optional().catch(undefined),
    pagination: z.object({ total: z.int(), total_pages: z.int() }),
  }),
});

const SignedUrl = z.object({ attributes: z.object({ url: z.url({ protocol: /^https?$/ }) }) });

/** One page of `GET /api/client/servers/{identifier}/backups`. */
export function parseBackupPage(body: unknown) {
  const { data, meta } = parse(BackupPage, body);
  return {
    backups: data.map(toPanelBackup),
    total: meta.backup_count ?? meta.pagination.total,
    pageCount: meta.pagination.total_pages,
  };
}

export const parseBackup = (body: unknown): PanelBackup => toPanelBackup(parse(BackupItem, body));

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

/** A node's links live this long, those of an S3 store shorter. */
const linkLifetimeMs = 15 * 60_000;

/** The response to `GET .../backups/{uuid}/download`; the end of its life is read from the link itself. */
export function parseBackupLink(body: unknown, now: number) {
  const { url } = parse(SignedUrl, body).attributes;
  return { url, expiresAt: readExpiry(new URL(url).searchParams) ?? now + linkLifetimeMs };
}

function readExpiry(query: URLSearchParams): number | null {
  const [, claims] = query.get('token')?.split('.') ?? [];
  const lifetimeSeconds = Number(query.get('X-Amz-Expires') ?? Number.NaN);
  const expiry = claims ? readTokenExpiry(claims) : readAmzDate(query) + lifetimeSeconds * 1000;
  return Number.isSafeInteger(expiry) ? expiry : null;
}

const Claims = z.object({ exp: z.number() });

/** A node signs with a JSON Web Token, whose `exp` counts seconds, perhaps with a fraction. */
function readTokenExpiry(claims: string): number {
  try {
    const { exp } = Claims.parse(JSON.parse(Buffer.from(claims, 'base64url').toString()));
    return Math.ceil(exp) * 1000;
  } catch {
    return Number.NaN;
  }
}

/** An S3 store's moment of signing, such as 20260501T120000Z. */
function readAmzDate(query: URLSearchParams): number {
  const [, day, time] = /^(\d{8})T(\d{6})Z$/.exec(query.get('X-Amz-Date') ?? '') ?? [];
  if (!day || !time) return Number.NaN;
  const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
  return Date.parse(`${date}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`);
}

function parse<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new PanelFailure(body === undefined ? 'unreadable' : 'malformed', {
    reason: z.prettifyError(parsed.error),
  });
}
