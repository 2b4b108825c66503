/** Logs are one JSON object per line, with secrets redacted. */
import { expect } from 'chai';
import mongoose from 'mongoose';
import { findFreePort } from '../../../server/embedded-database/free-port.ts';
import { createLog, openLog } from '../../../server/observability/log.ts';
import { failureOf } from '../../support/failure-of.ts';

describe('the log', () => {
  function createCapturedLog(level: string) {
    const lines: string[] = [];
    return { lines, log: createLog(level, { write: (line) => void lines.push(line) }) };
  }

  it('writes one JSON object per line, with level, time and message', () => {
    const { lines, log } = createCapturedLog('info');
    log.info({ requestId: 'r1' }, 'Hello');
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.match(/^\{.*\}\n$/);
    const { time, ...entry } = JSON.parse(lines[0] ?? '');
    expect(entry).to.deep.equal({ level: 30, requestId: 'r1', msg: 'Hello' });
    expect(new Date(time).toISOString()).to.equal(time);
  });

  it('continues on a full disk', () => {
    const log = createLog('info', openLog('/dev/full'));
    for (let lines = 0; lines < 10; lines += 1) log.info('x'.repeat(1024 * 1024));
    log.fatal('the last line');
  });

  it('omits lines below its level', () => {
    const { lines, log } = createCapturedLog('warn');
    log.info('not this');
    log.warn('this');
    expect(lines).to.have.lengthOf(1);
  });

  it("shows the MongoDB driver's error with its cause when no server can be selected", async () => {
    const { lines, log } = createCapturedLog('error');
    const hosts = await Promise.all([1, 2, 3].map(async () => `127.0.0.1:${await findFreePort()}`));
    const uri = `mongodb://${hosts.join()}/gamehost?replicaSet=rs0&serverSelectionTimeoutMS=200`;
    const client = new mongoose.mongo.MongoClient(uri);
    const failure = await failureOf(client.db().command({ ping: 1 }));
    await client.close();
    log.error({ err: failure }, 'Internal error');
    const { err } = JSON.parse(lines[0] ?? '');
    expect(err).to.include({ type: 'MongoServerSelectionError' }).and.to.have.property('stack');
    expect(err.message).to.match(/^connect ECONNREFUSED 127\.0\.0\.1:/);
    const [network, refused] = err.causes;
    expect(network.type).to.equal('MongoNetworkError');
    expect(refused).to.include({ type: 'Error', code: 'ECONNREFUSED' });
    expect(lines.join()).to.not.include('unable to serialize');
  });

  it('shortens a long chain of causes', () => {
    const { lines, log } = createCapturedLog('error');
    const endless = new Error('endless');
    endless.cause = new AggregateError([endless, new Error('other')], 'several');
    log.error({ err: endless });
    const { err } = JSON.parse(lines[0] ?? '');
    expect(err.causes.map(({ message }: Error) => message)).to.deep.equal(['several', 'endless', 'other']);
  });

  it('redacts secrets at any depth of the logged fields', () => {
    const { lines, log } = createCapturedLog('info');
    const headers = { authorization: 'Bearer hunter2', cookie: 'session=hunter2', 'x-api-key': 'hunter2' };
    log.info({ headers, password: 'hunter2', secret: 'hunter2' });
    log.info({ req: { headers }, user: { password: 'hunter2' }, key: { secret: 'hunter2' } });
    log.info({ panel: { applicationKey: 'hunter2', clientKey: 'hunter2' } });
    log.error({ err: Object.assign(new Error('broken'), { options: { headers } }) });
    expect(lines).to.have.lengthOf(4);
    expect(lines.join()).not.to.include('hunter2');
    expect(lines[0]).to.include('"authorization":"[redacted]"');
  });
});
