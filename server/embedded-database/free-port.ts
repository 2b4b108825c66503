/**
 * Finds free ports of 127.0.0.1. Not get-port, which withholds a returned port for 15 to 30 s: a retried start would move the
 * database to another port.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The range is below the ports that systems use for outgoing connections (32768 and up on Linux, 49152 elsewhere). Such a
 * connection can take a port between this check and its use, even by connecting to itself.
 */
const lowest = 15_000;
const above = 32_768;
const attempts = 100;

export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isPortFree(preferred))) return preferred;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = randomInt(lowest, above);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`None of ${attempts} ports between ${lowest} and ${above - 1} is free.`);
}

export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
