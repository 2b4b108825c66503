/** The audit loses no entry while the database is briefly unavailable. */
import { expect } from 'chai';
import { ActivityCounts } from '../../models/activity-count.ts';
import { AuditEntries, type AuditEntryRecord } from '../../models/audit-entry.ts';
import { AuditTrail } from '../../server/audit/audit.ts';
import { connectMongoose, pingDatabase } from '../../server/database.ts';
import { createLog } from '../../server/observability/log.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { useForEach } from '../support/use-started.ts';

const entry = (requestId: string): AuditEntryRecord => ({
  at: new Date(),
  userId: 1,
  keyId: 'key',
  operation: 'tickets.create',
  target: '1',
  status: 201,
  code: null,
  address: '127.0.0.1',
  requestId,
  via: 'rest',
});

describe('the audit trail', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  beforeEach(() => void lines.splice(0));

  async function open() {
    const uri = testDatabaseUri();
    const sizes: number[] = [];
    const connection = await connectMongoose(uri, {
      monitorCommands: true,
      watch: (client) =>
        client.on('commandStarted', ({ command }) => {
          if (Array.isArray(command['documents'])) sizes.push(command['documents'].length);
        }),
    });
    const entries = new AuditEntries(connection);
    const stores = { auditEntries: entries, activityCounts: new ActivityCounts(connection) };
    return {
      ...{ connection, sizes, trail: new AuditTrail(stores, log) },
      restore: () => connection.openUri(uri),
      storedIds: async () => (await entries.list({ limit: 10 })).map(({ requestId }) => requestId),
      async stop() {
        await connection.openUri(uri); // again, where a test closed it
        await connection.dropDatabase();
        await connection.close();
      },
    };
  }
  const database = useForEach(open);

  it('keeps a batch that could not be stored, and stores it in order on the next try', async () => {
    const { connection, trail } = database;
    await connection.close();
    trail.add([entry('first')]);
    await trail.flush();
    await database.restore();
    trail.add([entry('second')]);
    await trail.flush();
    expect(await database.storedIds()).to.have.members(['first', 'second']);
  });

  it('logs the entry of a write when it cannot be stored, because the write has happened', async () => {
    const { connection, trail } = database;
    await connection.close();
    await trail.storeNow([entry('written')]);
    expect(lines).to.have.lengthOf(1);
    expect(JSON.parse(lines[0] ?? '')).to.deep.include({ msg: 'Audit entries could not be stored' });
    expect(lines[0]).to.include('"requestId":"written"');
  });

  describe('with few database writes', () => {
    it('stores entries of reads in full batches, and leaves later entries to the next batch', async () => {
      const { connection, trail, sizes } = database;
      const stored = new Promise<void>((resolve) => {
        connection.getClient().on('commandSucceeded', ({ commandName }) => {
          if (commandName !== 'insert' || sizes.length > 1) return;
          trail.add([entry('since')]);
          resolve();
        });
      });
      for (let count = 0; count < 520; count += 1) trail.add([entry('read')]);
      await stored;
      await pingDatabase(connection);
      expect(sizes).to.deep.equal([520]);
      await trail.close();
      expect(sizes).to.deep.equal([520, 1]);
    });

    it('stores the entries of simultaneous writes together', async () => {
      const { trail, sizes } = database;
      await Promise.all(Array.from({ length: 20 }, (_, index) => trail.storeNow([entry(`write ${index}`)])));
      expect(sizes).to.deep.equal([1, 19]);
    });
  });

  describe('when the service stops', () => {
    it('stores all buffered entries and logs none of them', async () => {
      const { trail } = database;
      trail.add([entry('held')]);
      await trail.close();
      expect(await database.storedIds()).to.deep.equal(['held']);
      expect(lines).to.deep.equal([]);
    });

    it('logs buffered entries when the database is unavailable, because nothing retries them', async () => {
      const { connection, trail } = database;
      await connection.close();
      trail.add([entry('kept since the last try')]);
      await trail.flush();
      trail.add([entry('held at the end')]);
      lines.splice(0);
      await trail.close();
      expect(lines).to.have.lengthOf(1);
      const { msg, entries } = JSON.parse(lines[0] ?? '');
      expect(msg).to.equal('Audit entries could not be stored');
      expect(entries.map(({ requestId }: AuditEntryRecord) => requestId)).to.deep.equal([
        'kept since the last try',
        'held at the end',
      ]);
    });
  });
});
