/** Logs are a JSON object a line, and secrets are struck out before they are written. */
import { expect } from 'chai';
import { createLog } from '../../server/log.ts';

describe('log', () => {
  function createWatched(level: string) {
    const lines: string[] = [];
    return { lines, log: createLog(level, { write: (line) => void lines.push(line) }) };
  }

  it('is a JSON object a line, with level, time and message', () => {
    const { lines, log } = createWatched('info');
    log.info({ requestId: 'r1' }, 'Hello');
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.match(/^\{.*\}\n$/);
    const { time, ...entry } = JSON.parse(lines[0] ?? '');
    expect(entry).to.deep.equal({ level: 30, requestId: 'r1', msg: 'Hello' });
    expect(new Date(time).toISOString()).to.equal(time);
  });

  it('writes what its level lets pass', () => {
    const { lines, log } = createWatched('warn');
    log.info('not this');
    log.warn('this');
    expect(lines).to.have.lengthOf(1);
  });

  it('strikes secrets out, however deep an error carries them', () => {
    const { lines, log } = createWatched('info');
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
