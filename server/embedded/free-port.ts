/** Ports of this machine that nobody listens on. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** The preferred port if it is free, else any free one. */
export async function freePort(preferred = 0): Promise<number> {
  return (await tryPort(preferred)) ?? (await tryPort(0)) ?? Promise.reject(new Error('No port is free.'));
}

export async function isFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== null;
}

/** The port, now known to be free (0 asks the system for one), or null when it is taken. */
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
