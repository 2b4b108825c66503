/** The embedded MongoDB keeps its data in every case, and MONGODB_URI replaces it. */
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  connectMongoose,
  findRunningEmbedded,
  openDatabase,
  prepareDatabase,
} from '../../../server/database.ts';
import { dbPathOf, readPassword } from '../../../server/embedded-database/data-dir.ts';
import { describeServer, portOf, readNotes, storeNote, useEmbedded } from '../../support/embedded.ts';
import { failureOf } from '../../support/failure-of.ts';
import { testDatabaseUri } from '../../support/mongo.ts';

describe('the embedded MongoDB', () => {
  const embedded = useEmbedded();

  it('is a replica set on WiredTiger with a database named gamehost', async () => {
    const server = await describeServer((await embedded.open()).uri);
    expect(server).to.include({ database: 'gamehost', setName: 'gamehost', isWritablePrimary: true });
    expect(server).to.have.nested.include({
      'storageEngine.name': 'wiredTiger',
      'storageEngine.persistent': true,
    });
  });

  it('keeps its data and address on the next start, and prints nothing', async () => {
    const first = await embedded.open();
    await storeNote(first.uri, 'kept');
    await first.stop();
    const second = await embedded.open();
    expect(second).to.include({ uri: first.uri, isEmbedded: true });
    expect(await readNotes(second.uri)).to.deep.equal(['kept']);
    expect(embedded.progress).to.deep.equal([]);
  });

  it('lets only its owner read its data', async () => {
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    expect(await modeOf(await dbPathOf(join(embedded.dataDir, 'created')))).to.equal(0o700);
    expect(await modeOf(join(embedded.dataDir, 'created'))).to.equal(0o700);
    await embedded.open();
    const entries = await readdir(embedded.dataDir, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((file) => join(file.parentPath, file.name));
    for (const name of ['embedded.json', 'mongodb.key'])
      expect(paths).to.include(join(embedded.dataDir, name));
    const modes = await Promise.all(paths.map(async (path) => ({ path, mode: await modeOf(path) })));
    expect(modes.filter(({ mode }) => mode & 0o077)).to.deep.equal([]);
  });

  it('refuses clients without the password in its data directory', async () => {
    const { uri } = await embedded.open();
    const password = await readPassword(embedded.dataDir);
    expect(uri).to.include(`:${password}@`);
    const stranger = await connectMongoose(uri.replace(/\/\/.*@/, '//').replace('&authSource=local', ''));
    const newUser = { createUser: 'mallory', pwd: 'secret', roles: ['root'] };
    for (const attempt of [
      () => stranger.collection('notes').findOne(),
      () => stranger.db?.admin().command(newUser),
      () => stranger.db?.admin().command({ shutdown: 1 }),
    ])
      expect(await failureOf(Promise.resolve(attempt()))).to.have.property('codeName', 'Unauthorized');
    await stranger.close();
  });

  it('keeps its data if the password is lost or damaged, and makes a new one', async () => {
    const first = await embedded.open();
    await storeNote(first.uri, 'kept');
    await first.stop();
    await writeFile(join(embedded.dataDir, 'mongodb.key'), 'damaged');
    const second = await embedded.open();
    expect(second.uri).not.to.equal(first.uri);
    expect(await readNotes(second.uri)).to.deep.equal(['kept']);
  });

  it('moves to another port with its data if its port is in use, and keeps the new one', async () => {
    const first = await embedded.open();
    await storeNote(first.uri, 'moved');
    await first.stop();
    const otherProgram = await embedded.takePort(portOf(first.uri));
    expect(await findRunningEmbedded(embedded.dataDir), 'another program is not the service').to.equal(null);
    const second = await embedded.open();
    expect(portOf(second.uri)).not.to.equal(portOf(first.uri));
    expect(await readNotes(second.uri)).to.deep.equal(['moved']);
    expect(embedded.progress.join()).to.include(
      `Port ${portOf(first.uri)} of the embedded MongoDB is in use`,
    );
    await second.stop();
    otherProgram.close();
    expect(await embedded.open()).to.include({ uri: second.uri });
  });

  it('keeps its data if embedded.json is damaged', async () => {
    const first = await embedded.open();
    await storeNote(first.uri, 'whole');
    await first.stop();
    await writeFile(join(embedded.dataDir, 'embedded.json'), '{"port":');
    expect(await readNotes((await embedded.open()).uri)).to.deep.equal(['whole']);
  });

  it('reports mongod’s reason if it cannot start, and leaves the files unchanged', async () => {
    await (await embedded.open()).stop();
    const metadata = join(embedded.dataDir, 'mongodb', 'storage.bson');
    await writeFile(metadata, 'damaged');
    const failure = await failureOf(embedded.open());
    expect(failure.name).to.equal('StartError');
    expect(failure.message).to.match(/^MongoDB [\d.]+ \(.+\) did not start on .+mongodb: .*storage engine/i);
    expect(await stat(metadata)).to.include({ size: 'damaged'.length });
    await rm(embedded.lockPath);
  });
});

describe('MONGODB_URI', () => {
  it('is used without starting or stopping a mongod', async () => {
    const uri = testDatabaseUri();
    const database = await openDatabase({
      mongodbUri: uri,
      dataDir: '/nowhere',
      cacheDir: '/nowhere',
      reportProgress: (line) => expect.fail(`unexpected progress: ${line}`),
    });
    expect(database).to.include({ uri, isEmbedded: false });
    await database.stop();
    expect(await describeServer(uri)).to.include({ isWritablePrimary: true });
  });

  it('selects the database in the URI, or gamehost', async () => {
    const named = testDatabaseUri('named');
    const unnamed = named.replace(/\/gamehost_test_[^?]+/, '/');
    expect(await describeServer(named))
      .to.have.property('database')
      .that.matches(/_named_/);
    expect(await describeServer(unnamed)).to.include({ database: 'gamehost' });
    expect(await describeServer(unnamed.replace('/?', '?'))).to.include({ database: 'gamehost' });
  });

  const refused: [what: string, options: string, message: RegExp][] = [
    ['an unknown option', 'x=2', /option x is not supported$/],
    ['an unknown compressor', 'compressors=lzma', /lzma is not a valid compression mechanism.*$/],
    ['a compressor that is not installed', 'compressors=snappy', /`snappy` not found.*$/],
    ['a wrong set', 'replicaSet=wrong', /belongs to the replica set that replicaSet= names$/],
  ];
  for (const [what, options, message] of refused)
    it(`stops the start at once with one line for ${what}`, async () => {
      const uri = testDatabaseUri().replace(/replicaSet=\w+/, `${options}&serverSelectionTimeoutMS=300`);
      const reportProgress = (line: string) => expect.fail(`unexpected progress: ${line}`);
      const failure = await failureOf(prepareDatabase(uri, { reportProgress }));
      expect(failure.name).to.equal('StartError');
      expect(failure.message)
        .to.match(/^.*MongoDB at MONGODB_URI.*$/)
        .and.match(message)
        .and.not.include(uri.split('@')[0]?.split(':')[2]);
    });

  it('is reported without its password when nothing answers', async () => {
    const uri = 'mongodb://admin:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=200';
    const failure = await failureOf(connectMongoose(uri));
    expect(failure.name).to.equal('StartError');
    expect(failure.message).to.match(/^No connection to the MongoDB at MONGODB_URI: .*127\.0\.0\.1:1/);
    expect(failure.message).not.to.include('hunter2');
  });
});
