/**
 * Stops the HTTP server without dropping a request: it reports not ready, closes every connection with its next response,
 * and only then stops accepting new ones.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Readiness } from '../observability/health/readiness.ts';

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
