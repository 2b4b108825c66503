/** The indexes command: what it shows and builds. */
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { connectMongoose } from '../../../server/database.ts';
import { createCli } from '../../support/cli.ts';
import { testDatabaseUri } from '../../support/mongo.ts';

interface Row {
  collection: string;
  keys: object;
  unique: boolean;
  expires_after_seconds: number | null;
  state: string;
}

describe('npm run cli: indexes', () => {
  let connection: Connection;
  let cli: ReturnType<typeof createCli>;

  beforeEach(async () => {
    const uri = testDatabaseUri();
    connection = await connectMongoose(uri);
    cli = createCli({ MONGODB_URI: uri });
  });
  afterEach(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  const statesOf = (rows: Row[]) => new Set(rows.map(({ state }) => state));

  it('shows missing indexes without building them', async () => {
    const rows: Row[] = await cli.json('indexes');
    expect(statesOf(rows)).to.deep.equal(new Set(['missing']));
    expect(await connection.listCollections()).to.deep.equal([]);
  });

  it('--build: builds every index and shows its properties', async () => {
    const rows: Row[] = await cli.json('indexes --build');
    expect(statesOf(rows)).to.deep.equal(new Set(['built']));
    const common = { unique: false, expires_after_seconds: null, state: 'built' };
    expect(rows).to.deep.include.members([
      { ...common, collection: 'tickets', keys: { userId: 1, _id: -1 } },
      { ...common, collection: 'users', keys: { email: 1 }, unique: true },
      { ...common, collection: 'audit_entries', keys: { at: 1 }, expires_after_seconds: 90 * 24 * 60 * 60 },
    ]);
    expect(await cli.json('indexes')).to.deep.equal(rows);
    const present = await connection.collection('tickets').indexes();
    expect(present.map(({ key }) => key)).to.deep.include.members([
      { _id: 1 },
      { userId: 1, _id: -1 },
      { userId: 1, writeId: 1 },
    ]);
  });

  it('tells different indexes, which must be dropped first, from unneeded ones', async () => {
    await connection.collection('users').createIndex({ email: 1 });
    await connection.collection('users').createIndex({ nickname: 1 });
    const stateOf = (rows: Row[], field: string) =>
      rows.find(({ collection, keys }) => collection === 'users' && field in keys)?.state;
    const rows: Row[] = await cli.json('indexes');
    expect(stateOf(rows, 'email')).to.equal('different');
    expect(stateOf(rows, 'nickname')).to.equal('unneeded');
    expect(await cli.refusal('indexes --build')).to.equal(
      'different indexes exist, drop them first: users {"email":1}',
    );
  });

  it('prints a table without --json', async () => {
    const [heading, first] = (await cli.text('indexes')).split('\n');
    expect(heading).to.match(/^COLLECTION +KEYS +UNIQUE +EXPIRES AFTER SECONDS +STATE$/);
    expect(first).to.match(/^activity_counts +\{"_id":1\} +no +- +missing$/);
  });
});
