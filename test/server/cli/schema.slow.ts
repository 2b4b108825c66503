/** The schema command, and what an older program does with a newer database. */
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { migrations } from '../../../models/migrations/index.ts';
import { connectMongoose } from '../../../server/database.ts';
import { createCli } from '../../support/cli.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { runProgram } from '../../support/program.ts';

const newest = migrations.length;

describe('npm run cli: schema', () => {
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

  const beNewer = () =>
    connection
      .collection('schema_version')
      .updateOne({}, { $set: { version: newest + 1 } }, { upsert: true });

  it('shows pending migrations without applying them; --migrate applies them', async () => {
    const pending = migrations.map(({ version, name }) => ({ version, name, applied_at: null }));
    expect(await cli.json('schema')).to.deep.equal({ version: 0, migrations: pending });
    expect(await connection.listCollections()).to.deep.equal([]);

    const migrated = await cli.json('schema --migrate');
    expect(migrated.version).to.equal(newest);
    for (const { applied_at } of migrated.migrations)
      expect(Date.parse(applied_at)).to.be.closeTo(Date.now(), 60_000);
    expect(await cli.json('schema')).to.deep.equal(migrated);
    expect(await cli.text('schema')).to.match(
      /^Schema version \d+, 0 pending\n\nVERSION +NAME +APPLIED AT\n1 +The first shape +20/,
    );
  });

  it('every command that uses documents migrates first', async () => {
    await cli.json('user list');
    expect((await cli.json('schema')).version).to.equal(newest);
  });

  it('a newer database stops commands and the service with advice on what to do', async () => {
    await cli.json('schema --migrate');
    await beNewer();
    const refusals = await cli.refusals(['schema', 'schema --migrate', 'user list']);
    for (const refusal of refusals) expect(refusal).to.match(/has schema version .* Start the newer program/);
    const { code, output } = await runProgram({ MONGODB_URI: uri, PORT: '0' });
    expect(code).to.equal(1);
    expect(output).to.match(/^The database has schema version .*\n$/);
    expect(await connection.collection('schema_version').findOne()).to.include({ version: newest + 1 });
  });
});
