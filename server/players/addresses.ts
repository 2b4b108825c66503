/** Which addresses of a server are asked who plays there: those of players, as the panel lists them. */
import { lookup } from 'node:dns/promises';
import type { PanelAllocation } from '../../routers/panel-port.ts';
import { withTimeout } from '../limit/with-timeout.ts';
import { isLoopback, isNeverCalled, meantAddress } from '../outbound/addresses.ts';
import type { Target } from './protocol.ts';

/** The default allocation and five others. */
const allocationsMax = 6;

/** `::` means it, too. */
const unspecified = '0.0.0.0';

const lookupMsMax = 1_000;

/** In the order in which they are asked: the default one first. */
export async function findTargets(
  allocations: readonly PanelAllocation[],
  allowsLoopback: boolean,
): Promise<Target[]> {
  const ordered = allocations.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
  const found = ordered.slice(0, allocationsMax).map(async ({ ip, alias, port, isDefault }) => {
    const own = await findAddress(ip);
    const address = own === unspecified && alias ? await findAddress(alias) : own;
    const mayAsk = address && !isNeverCalled(address) && (allowsLoopback || !isLoopback(address));
    return mayAsk ? [{ ip: address, port, isDefault }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** By the system's look-up, as the host may have its names in a file; null where there is none in time, or one of a zone. */
const findAddress = (host: string): Promise<string | null> =>
  withTimeout(lookupMsMax, lookup(host, { order: 'ipv4first' }))
    .then(({ address }) => meantAddress(address))
    .catch(() => null);
