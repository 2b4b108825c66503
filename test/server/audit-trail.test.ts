/** The audit's way into the database loses nothing when the database is away for a while. */
import { expect } from 'chai';
import { AuditEntries, type AuditEntryRecord } from '../../models/audit-entry.ts';
import { AuditTrail } from '../../server/audit-trail.ts';
import { connectMongoose } from '../../server/database.ts';
import { createLog } from '../../server/log.ts';
import { testDatabaseUri } from '../support/mongo.ts';

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

describe('audit trail', () => {
  let uri: string;
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });

  before(() => {
    uri = testDatabaseUri();
  });

  it('keeps a batch that could not be stored for the next try, in order', async () => {
    const connection = await connectMongoose(uri);
    const entries = new AuditEntries(connection);
    const trail = new AuditTrail(entries, log);
    await connection.close();
    trail.add([entry('first')]);
    await trail.flush();
    await connection.openUri(uri);
    trail.add([entry('second')]);
    await trail.flush();
    const stored = await entries.list({ limit: 10 });
    expect(stored.map(({ requestId }) => requestId)).to.have.members(['first', 'second']);
    await connection.dropDatabase();
    await connection.close();
  });

  it("writes an entry to the log when a write's cannot be stored: what it tells of has happened", async () => {
    const connection = await connectMongoose(uri);
    const trail = new AuditTrail(new AuditEntries(connection), log);
    await connection.close();
    lines.length = 0;
    await trail.storeNow([entry('written')]);
    expect(lines).to.have.lengthOf(1);
    expect(JSON.parse(lines[0] ?? '')).to.deep.include({ msg: 'Audit entries could not be stored' });
    expect(lines[0]).to.include('"requestId":"written"');
  });
});
