/** A short form of `npm run test:faults`: a fault loses nothing that was acknowledged before it. */
import { expect } from 'chai';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { addCustomers } from '../perf/customers.ts';
import { endInOrder } from '../perf/faults/ledger.ts';
import { Load } from '../perf/faults/load.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { startProgram } from '../support/program.ts';

describe('a service killed under load', () => {
  it('keeps every acknowledged write once and audited, and continues after a restart', async () => {
    const uri = testDatabaseUri();
    const PORT = String(await findFreePort());
    const start = () => startProgram({ RATE_LIMIT_PER_MINUTE: '1000000', MONGODB_URI: uri, PORT });
    const killed = await start();
    const load = new Load({ urls: [killed.url], keys: await addCustomers(uri, 6), isRetried: false });
    await load.acknowledges(100);
    await killed.stop('SIGKILL');
    const program = await start();
    await load.recovers();
    await endInOrder('the service killed', { load, uri, program });
    expect(await program.stop()).to.equal(0);
  });
});
