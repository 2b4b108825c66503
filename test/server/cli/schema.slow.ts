/** Commands for the schema and the indexes of the database. */
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { connectMongoose } from '../../../server/database.ts';
import { createCli } from '../../support/cli.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { runProgram } from '../../support/program.ts';

interface Row {
  collection: string;
  keys: object;
  unique: boolean;
  expires_after_seconds: number | null;
  state: string;
}

describe('npm run cli', () => {
  let uri: string;
  let connection: Connection;
  let cli: ReturnType<typeof createCli>;

  beforeEach(async () => {
    uri = testDatabaseUri();
    connection = await connectMongoose(uri);
    cli = createCli({ MONGODB_URI: uri });
  });
  afterEach(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  describe('schema', () => {
    const migrations = [
      { version: 10, name: 'The first shape' },
      { version: 11, name: 'Webhooks list the keys that they belong to' },
      { version: 12, name: 'Tickets describe the writes whose events are still to be stored' },
      { version: 13, name: 'Webhooks belong to one key' },
      { version: 14, name: 'Tickets and users store what searches look for' },
    ];
    const [oldest, newest] = [10, 14];

    it('shows pending migrations without applying them, and applies them with --migrate', async () => {
      const pending = { version: 0, migrations: migrations.map((each) => ({ ...each, applied_at: null })) };
      expect(await cli.json('schema')).to.deep.equal(pending);
      expect(await connection.listCollections()).to.deep.equal([]);

      const migrated = await cli.json('schema --migrate');
      expect(migrated).to.include({ version: newest });
      for (const [index, { applied_at, ...applied }] of migrated.migrations.entries()) {
        expect(applied).to.deep.equal(migrations[index]);
        expect(Date.parse(applied_at)).to.be.closeTo(Date.now(), 60_000);
      }
      expect(await cli.json('schema --migrate')).to.deep.equal(migrated);
      expect(await cli.text('schema')).to.match(
        /^Schema version 14, 0 pending\n\nVERSION +NAME +APPLIED AT\n10 +The first shape +20/,
      );
    });

    it('is migrated first by every command that uses documents', async () => {
      await cli.json('user list');
      expect((await cli.json('schema')).version).to.equal(newest);
    });

    for (const [which, version, advice] of [
      ['newer', newest + 1, `up to ${newest} only. Start the newer program`],
      ['older', oldest - 1, `${oldest} and later only. Start it on another database`],
    ] as const)
      it(`stops commands and the service with advice if it is ${which} than the program's`, async () => {
        await cli.json('schema --migrate');
        await connection.collection('schema_version').updateOne({}, { $set: { version } });
        const refusals = await cli.refusals(['schema', 'schema --migrate', 'user list']);
        for (const refusal of refusals) expect(refusal).to.include(advice);
        const { code, output } = await runProgram({ MONGODB_URI: uri, PORT: '0' });
        expect(code).to.equal(1);
        expect(output).to.match(/^The database has schema version .*\n$/);
        expect(await connection.collection('schema_version').findOne()).to.include({ version });
      });
  });

  describe('indexes', () => {
    const statesOf = (rows: Row[]) => new Set(rows.map(({ state }) => state));

    it('shows missing indexes without building them', async () => {
      const rows: Row[] = await cli.json('indexes');
      expect(statesOf(rows)).to.deep.equal(new Set(['missing']));
      expect(await connection.listCollections()).to.deep.equal([]);
    });

    it('--build: builds every index and prints its properties', async () => {
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

    it('distinguishes conflicting indexes, which must be dropped first, from unneeded ones', async () => {
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
});
