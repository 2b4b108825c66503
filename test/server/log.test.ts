/** Logs are one JSON object per line, with secrets redacted. */
import { expect } from 'chai';
import { createLog } from '../../server/observability/log.ts';

describe('log', () => {
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

  it('omits lines below its level', () => {
    const { lines, log } = createCapturedLog('warn');
    log.info('not this');
    log.warn('this');
    expect(lines).to.have.lengthOf(1);
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
