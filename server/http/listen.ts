/** Listens on an address of the settings, or says which setting is wrong. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from '../progress.ts';

export interface ListenAddress {
  host: string;
  port: number;
  backlog?: number;
}

/**
 * @param prefix of the names of the settings
 * @throws {StartError} naming the setting
 */
export async function listenOn(server: Server, address: ListenAddress, prefix = ''): Promise<AddressInfo> {
  server.listen(address);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    throw new StartError(describeFailure(cause, address, prefix), { cause });
  });
  return server.address() as AddressInfo; // a listening TCP server has one
}

const anyAddress = 'set it to 127.0.0.1 for this machine only, or to 0.0.0.0 for all of its addresses';

function describeFailure(cause: NodeJS.ErrnoException, { host, port }: ListenAddress, prefix: string) {
  if (cause.code === 'EADDRINUSE')
    return `Port ${port} of ${host} is in use. Set ${prefix}PORT to another one.`;
  if (cause.code === 'EACCES')
    return `This user may not listen on port ${port}. Set ${prefix}PORT to another one.`;
  return `${prefix}HOST is not an address of this machine (${cause.message}): ${anyAddress}.`;
}
