/** The service itself killed under load: what it acknowledged is there and audited, and what it began is done once. */
import { findFreePort } from '../../../server/dev/free-port.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startProgram, type TestProgram } from '../../support/program.ts';
import { addCustomers } from './customers.ts';
import { Load } from './load.ts';
import { endInOrder } from './verdict.ts';

describe('under load', () => {
  let uri: string;
  let programs: TestProgram[];

  const start = async (port: number) => {
    const settings = { MONGODB_URI: uri, PORT: String(port), RATE_LIMIT_PER_MINUTE: '1000000' };
    const program = await startProgram(settings);
    programs.push(program);
    return program;
  };
  const program = { output: () => programs.map(({ output }) => output()).join('\n') };

  beforeEach(() => {
    uri = testDatabaseUri();
    programs = [];
  });
  afterEach(async () => {
    for (const each of programs) await each.stop();
  });

  it('the service killed and started again: nothing acknowledged is lost or unaudited, nothing is done twice', async () => {
    const port = await findFreePort();
    const killed = await start(port);
    const load = new Load({ urls: [killed.url], keys: await addCustomers(uri, 12) });
    await load.acknowledges(500);
    await killed.stop('SIGKILL');
    await start(port);
    const recoveredMs = await load.recovers();
    await load.acknowledges(500);
    await endInOrder('the service killed and started again', { load, uri, program, recoveredMs });
  });

  it('one of two processes killed: the other goes on, and makes what was begun there, once', async () => {
    const killed = await start(await findFreePort());
    const other = await start(await findFreePort());
    const load = new Load({ urls: [killed.url, other.url], keys: await addCustomers(uri, 12) });
    await load.acknowledges(500);
    await killed.stop('SIGKILL');
    const recoveredMs = await load.recovers();
    await load.acknowledges(500);
    await endInOrder('one of two processes killed', { load, uri, program, recoveredMs });
  });
});
