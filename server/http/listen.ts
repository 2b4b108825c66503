/** Listens on an address from the settings, and names the setting if it is wrong. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from '../progress.ts';

export interface ListenAddress {
  host: string;
  port: number;
  backlog?: number;
}

export async function listenOn(server: Server, address: ListenAddress, prefix = ''): Promise<AddressInfo> {
  server.listen(address);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    throw new StartError(describeFailure(cause, address, prefix), { cause });
  });
  return server.address() as AddressInfo; // the type also covers pipes and servers that do not listen
}

const anyAddress = 'set it to 127.0.0.1 for this machine only, or to 0.0.0.0 for all of its addresses';

function describeFailure(cause: NodeJS.ErrnoException, { host, port }: ListenAddress, prefix: string) {
  if (cause.code === 'EADDRINUSE')
    return `Port ${port} of ${host} is in use. Set ${prefix}PORT to another port.`;
  if (cause.code === 'EACCES')
    return `This user is not allowed to listen on port ${port}. Set ${prefix}PORT to another port.`;
  return `${prefix}HOST is not an address of this machine (${cause.message}): ${anyAddress}.`;
}
