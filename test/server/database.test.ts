/** The service's database: an embedded one keeps its data whatever happens, a given one is left alone. */
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { connectMongoose, findRunningEmbedded, openDatabase } from '../../server/database.ts';
import { describeServer, EmbeddedTrial, portOf, recall, remember } from '../support/embedded.ts';
import { failureOf } from '../support/failure-of.ts';
import { testDatabaseUri } from '../support/mongo.ts';

describe('The embedded database', function () {
  this.timeout(40_000);

  let trial: EmbeddedTrial;
  beforeEach(async () => {
    trial = await EmbeddedTrial.begin();
  });
  afterEach(() => trial.end());

  it('is a replica set on WiredTiger, in the database gamehost', async () => {
    const server = await describeServer((await trial.open()).uri);
    expect(server).to.include({ database: 'gamehost', setName: 'gamehost', isWritablePrimary: true });
    expect(server).to.have.nested.include({
      'storageEngine.name': 'wiredTiger',
      'storageEngine.persistent': true,
    });
  });

  it('a second start finds the data of the first, at the same address, without a word', async () => {
    const first = await trial.open();
    await remember(first.uri, 'kept');
    await first.stop();
    const second = await trial.open();
    expect(second).to.include({ uri: first.uri, isEmbedded: true });
    expect(await recall(second.uri)).to.deep.equal(['kept']);
    expect(trial.said).to.deep.equal([]);
  });

  it('stop() leaves no mongod behind', async () => {
    const database = await trial.open();
    await database.stop();
    expect(await stat(trial.lockPath)).to.include({ size: 0 });
    const failure = await failureOf(connectMongoose(`${database.uri}&serverSelectionTimeoutMS=300`));
    expect(failure.message).to.match(/^No connection to MongoDB: .*ECONNREFUSED/);
  });

  it('a running one is found beside the service, and only while it runs', async () => {
    expect(await findRunningEmbedded(trial.dataDir)).to.equal(null);
    const database = await trial.open();
    expect(await findRunningEmbedded(trial.dataDir)).to.equal(database.uri);
    await database.stop();
    expect(await findRunningEmbedded(trial.dataDir)).to.equal(null);
  });

  it('moves, data and all, when a stranger has taken its port, and stays where it moved', async () => {
    const first = await trial.open();
    await remember(first.uri, 'moved');
    await first.stop();
    const stranger = await trial.takePort(portOf(first.uri));
    expect(await findRunningEmbedded(trial.dataDir), 'a stranger is not the service').to.equal(null);
    const second = await trial.open();
    expect(portOf(second.uri)).not.to.equal(portOf(first.uri));
    expect(await recall(second.uri)).to.deep.equal(['moved']);
    expect(trial.said.join()).to.include(`Port ${portOf(first.uri)} of the embedded MongoDB is taken`);
    await second.stop();
    stranger.close();
    expect(await trial.open()).to.include({ uri: second.uri });
  });

  it('a damaged record beside the data costs the port at most, never the data', async () => {
    const first = await trial.open();
    await remember(first.uri, 'whole');
    await first.stop();
    await writeFile(join(trial.dataDir, 'embedded.json'), '{"port":');
    expect(await recall((await trial.open()).uri)).to.deep.equal(['whole']);
  });

  it('mongod that cannot start says why in its own words, and what is there stays as it is', async () => {
    await (await trial.open()).stop();
    const metadata = join(trial.dataDir, 'mongodb', 'storage.bson');
    await writeFile(metadata, 'damaged');
    const failure = await failureOf(trial.open());
    expect(failure.name).to.equal('StartError');
    expect(failure.message).to.match(/^MongoDB [\d.]+ \(.+\) did not start on .+mongodb: .*storage engine/i);
    expect(await stat(metadata)).to.include({ size: 'damaged'.length });
    await rm(trial.lockPath);
  });
});

describe('A MongoDB that is given', () => {
  it('MONGODB_URI: nothing is embedded, and stopping stops nothing', async () => {
    const uri = testDatabaseUri();
    const database = await openDatabase({
      mongodbUri: uri,
      dataDir: '/nowhere',
      cacheDir: '/nowhere',
      say: (line) => expect.fail(`nothing is slow here: ${line}`),
    });
    expect(database).to.include({ uri, isEmbedded: false });
    await database.stop();
    expect(await describeServer(uri)).to.include({ isWritablePrimary: true });
  });

  it('the database is the one the URI names, gamehost when it names none', async () => {
    const named = testDatabaseUri('named');
    const unnamed = named.replace(/\/gamehost_test_[^?]+/, '/');
    expect(await describeServer(named))
      .to.have.property('database')
      .that.matches(/_named_/);
    expect(await describeServer(unnamed)).to.include({ database: 'gamehost' });
    expect(await describeServer(unnamed.replace('/?', '?'))).to.include({ database: 'gamehost' });
  });

  it('one that does not answer is reported without the password in its URI', async () => {
    const uri = 'mongodb://admin:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=200';
    const failure = await failureOf(connectMongoose(uri));
    expect(failure.name).to.equal('StartError');
    expect(failure.message).to.match(/^No connection to MongoDB: .*127\.0\.0\.1:1/);
    expect(failure.message).not.to.include('hunter2');
  });
});
