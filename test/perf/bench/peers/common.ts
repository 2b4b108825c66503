/** What all peers share: the envelope of refusals, the headers of every response, the audit of reads, the settings. */
import type { AuditEntryRecord } from '../../../../models/audit-entry.ts';
import type { Config } from '../../../../server/config.ts';

export class Refusal extends Error {
  readonly statusCode: number;
  readonly apiCode: string;

  constructor(statusCode: number, apiCode: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.apiCode = apiCode;
  }
}

export const refusals = {
  missingKey: () => new Refusal(401, 'unauthorized', 'API key missing'),
  unknownKey: () => new Refusal(401, 'unauthorized', 'API key unknown'),
  scope: (scope: string) =>
    new Refusal(403, 'insufficient_scope', `This key lacks the scope ${scope}: create a key with it`),
  notFound: (noun: string) => new Refusal(404, 'not_found', `${noun} not found`),
  closed: () => new Refusal(400, 'bad_request', 'The ticket is closed or archived and takes no replies'),
  rateLimited: (seconds: number) =>
    new Refusal(429, 'rate_limited', `Rate limit exceeded, retry in ${seconds} s`),
};

export const envelope = (code: string, message: string) => ({ error: { code, message } });

export const securityHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

const batchMax = 500;
const flushAfterMs = 1000;

export function createAuditBatch(store: (entries: AuditEntryRecord[]) => Promise<void>) {
  let held: AuditEntryRecord[] = [];
  const flush = async () => {
    const batch = held;
    held = [];
    if (batch.length > 0) await store(batch);
  };
  setInterval(flush, flushAfterMs).unref();
  return (entry: AuditEntryRecord) => {
    held.push(entry);
    if (held.length >= batchMax) void flush();
  };
}

export function databaseUri({ mongodbUri }: Config): string {
  if (!mongodbUri) throw new Error('MONGODB_URI is required');
  return mongodbUri;
}
