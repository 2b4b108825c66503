/** A start reports missing security fixes in Node.js and MongoDB, and refuses a MongoDB without transactions. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connectMongoose, readMongodbVersion } from '../../server/database.ts';
import { dbPathOf } from '../../server/embedded-database/data-dir.ts';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { launchMongod, type MongodProcess } from '../../server/embedded-database/mongod.ts';
import { findMongod } from '../../server/embedded-database/mongod-binary.ts';
import { describeOutdated } from '../../server/outdated.ts';
import { readDocument, sectionOf } from '../support/documents.ts';
import { failureOf } from '../support/failure-of.ts';
import { mongodCacheDir, testDatabaseUri } from '../support/mongo.ts';
import { runProgram, startProgram } from '../support/program.ts';

describe('the service at its start', () => {
  it('warns once about a Node.js and a MongoDB without security fixes', async () => {
    const uri = testDatabaseUri();
    const connection = await connectMongoose(uri);
    const version = await readMongodbVersion(connection);
    await connection.close();
    const program = await startProgram({ MONGODB_URI: uri });
    expect(await program.stop()).to.equal(0);
    const warnings = program
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":40'))
      .map((line) => JSON.parse(line).msg);
    const expected = [describeOutdated('Node.js', process.version), describeOutdated('MongoDB', version)];
    expect(warnings).to.deep.equal(expected.filter((warning) => warning !== null));
  });

  it('warns about the MongoDB releases that the operations guide names, and not about fixed ones', async () => {
    const section = sectionOf(await readDocument('server/operations/run.md'), 'Versions of MongoDB');
    const [, sentence = ''] =
      /lacks security fixes: (.*?) The embedded/.exec(section.replaceAll(/\s+/g, ' ')) ?? [];
    const fixed = [...sentence.matchAll(/(\d+\.\d+) before (\d+\.\d+)\.(\d+)/g)];
    expect(fixed.map(([, line]) => line)).to.deep.equal(['8.0', '8.3']);
    for (const [, , line, patch] of fixed) {
      expect(describeOutdated('MongoDB', `${line}.${patch}`), line).to.equal(null);
      expect(describeOutdated('MongoDB', `${line}.${Number(patch) - 1}`), line).to.not.equal(null);
    }
    const others = /such as (.*)\./.exec(sentence)?.[1]?.match(/\d\.\d/g) ?? [];
    expect(others).to.deep.equal(['6.0', '7.0', '8.2']);
    for (const line of others) expect(describeOutdated('MongoDB', `${line}.99`), line).to.not.equal(null);
  });

  it('reports a replica set that was never initiated, and how to initiate it', async () => {
    const systemBinary = process.env['MONGOMS_SYSTEM_BINARY'];
    const mongod = await findMongod({ systemBinary, cacheDir: mongodCacheDir, reportProgress: () => {} });
    const dir = await mkdtemp(join(tmpdir(), 'gamehost-uninitiated-'));
    const port = await findFreePort();
    const dbPath = await dbPathOf(dir);
    const member = await launchMongod({ mongod, port, dbPath, extraArguments: ['--replSet', 'rs0'] });
    const uri = `mongodb://127.0.0.1:${port}/gamehost?serverSelectionTimeoutMS=1000`;
    for (const named of [uri, `${uri}&replicaSet=rs0`])
      expect((await failureOf(connectMongoose(named))).message).to.equal(
        'No connection to the MongoDB at MONGODB_URI: it was started as a member of a replica set that was never initiated: ' +
          'run rs.initiate() once in mongosh',
      );
    await member.stop();
    await rm(dir, { recursive: true });
  });

  describe('on a mongod outside a replica set', () => {
    let dir: string;
    let uri: string;
    let standalone: MongodProcess;

    before(async () => {
      const systemBinary = process.env['MONGOMS_SYSTEM_BINARY'];
      const mongod = await findMongod({ systemBinary, cacheDir: mongodCacheDir, reportProgress: () => {} });
      dir = await mkdtemp(join(tmpdir(), 'gamehost-standalone-'));
      const port = await findFreePort();
      standalone = await launchMongod({ mongod, port, dbPath: await dbPathOf(dir) });
      uri = `mongodb://127.0.0.1:${port}/gamehost`;
    });
    after(async () => {
      await standalone.stop();
      await rm(dir, { recursive: true });
    });

    it('exits with 1 before it writes anything, and one line explains how to make a set', async () => {
      const { code, output } = await runProgram({ MONGODB_URI: uri, LOG_LEVEL: 'error', PORT: '0' });
      expect(output).to.equal(
        'The MongoDB at MONGODB_URI is not a replica set, which transactions need. To make it a set of one member, ' +
          'start mongod with --replSet rs0, and run rs.initiate() once in mongosh.\n',
      );
      expect(code).to.equal(1);
    });
  });

  it('accepts a Node.js with the known fixes, and names the fixed release of others', () => {
    for (const version of ['v22.23.5', 'v22.24.0', 'v24.22.3', 'v26.13.1', 'v27.0.0'])
      expect(describeOutdated('Node.js', version), version).to.equal(null);
    expect(describeOutdated('Node.js', 'v22.23.4')).to.equal(
      'Node.js 22.23.4 lacks security fixes: update it to 22.23.5 or newer',
    );
    for (const version of ['v20.20.2', 'v21.7.3', 'v23.11.1', 'v25.9.0'])
      expect(describeOutdated('Node.js', version), version).to.match(
        /^Node\.js \d+ is not known to get security fixes: use 22\.23\.5, 24\.22\.3, 26\.13\.1, or a newer/,
      );
  });

  it('accepts a MongoDB with the fix, and names the fixed release of others', () => {
    for (const version of ['8.0.37', '8.0.40', '8.3.16', '8.4.0', '9.0.0-rc1'])
      expect(describeOutdated('MongoDB', version), version).to.equal(null);
    expect(describeOutdated('MongoDB', '8.0.36')).to.match(/: update it to 8\.0\.37 or newer$/);
    expect(describeOutdated('MongoDB', '8.3.2-rc0')).to.match(/: update it to 8\.3\.16 or newer$/);
    for (const version of ['7.0.30', '8.2.6'])
      expect(describeOutdated('MongoDB', version), version).to.match(/^MongoDB \d\.\d is not known to get /);
  });
});
