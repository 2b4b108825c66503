/** The service itself killed under load: what it acknowledged is there and audited, and what it began is done once. */
import { testDatabaseUri } from '../../support/mongo.ts';
import { addCustomers } from '../customers.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { Load } from './load.ts';
import { endInOrder } from './verdict.ts';

describe('under load', () => {
  let uri: string;
  let program: Fleet;

  const startLoad = async (processes: number) => {
    uri = testDatabaseUri();
    program = await startFleet(processes, { MONGODB_URI: uri });
    return new Load({ urls: program.urls, keys: await addCustomers(uri, 12) });
  };
  afterEach(() => program.stop());

  it('the service killed and started again: nothing acknowledged is lost or unaudited, nothing is done twice', async () => {
    const load = await startLoad(1);
    await load.acknowledges(500);
    await program.kill(0);
    await program.restart(0);
    const recoveredMs = await load.recovers();
    await load.acknowledges(500);
    await endInOrder('the service killed and started again', { load, uri, program, recoveredMs });
  });

  it('one of two processes killed: the other goes on, and makes what was begun there, once', async () => {
    const load = await startLoad(2);
    await load.acknowledges(500);
    await program.kill(0);
    const recoveredMs = await load.recovers();
    await load.acknowledges(500);
    await endInOrder('one of two processes killed', { load, uri, program, recoveredMs });
  });
});
