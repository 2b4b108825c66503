/** Audit entries of reads, held for a second or five hundred of them, as our own service holds them. */
import type { AuditEntryRecord } from '../../../../models/audit-entry.ts';

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
