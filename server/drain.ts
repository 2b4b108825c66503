/**
 * Ends the HTTP service without dropping a request: it says that it is not ready, bids every connection farewell with
 * its next answer, and only then takes no more of them.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Readiness } from './health/readiness.ts';

/** For balancers to look again and for kept connections to be used once more: closing those loses what is on its way. */
const farewellMs = 1000;

/** How long requests under way may take to end; those that will not are cut off. */
const graceMs = 10_000;

export async function drain(server: Server, readiness: Readiness): Promise<void> {
  readiness.stop();
  const connections = await promisify(server.getConnections).call(server);
  if (connections > 0) await delay(farewellMs);
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
