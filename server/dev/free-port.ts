/**
 * Finds ports of 127.0.0.1 that nothing listens on.
 * Not get-port: it withholds a port it has returned for 15 to 30 s, and a retried start would then move the database.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** The preferred port if it is free, any free port otherwise. */
export async function findFreePort(preferred = 0): Promise<number> {
  return (await tryPort(preferred)) ?? (await tryPort(0)) ?? Promise.reject(new Error('No port is free.'));
}

export async function isPortFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== null;
}

/** The port, or the one the system chose for 0; null when it is in use. */
async function tryPort(port: number): Promise<number | null> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // a listening TCP server has one
  } catch {
    return null;
  } finally {
    server.close();
  }
}
