/** Which addresses of a server are asked who plays there: those of players, as the panel lists them. */
import { lookup } from 'node:dns/promises';
import type { PanelAllocation } from '../../routers/panel-port.ts';
import { lazy } from '../../routers/support/memoize.ts';
import { withTimeout } from '../limit/with-timeout.ts';
import { isLoopback, isNeverCalled, isPrivate, meantAddress } from '../outbound/addresses.ts';
import type { Target } from './protocol.ts';

/** The default allocation and five others. */
const allocationsMax = 6;

const lookupMsMax = 500;

/** In the order in which they are asked: the default one first. */
export async function findTargets(
  allocations: readonly PanelAllocation[],
  allowsLoopback: boolean,
): Promise<Target[]> {
  const ordered = allocations.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
  const found = ordered.slice(0, allocationsMax).map((allocation) => targetsAt(allocation, allowsLoopback));
  return (await Promise.all(found)).flat().filter((target) => target !== null);
}

/** The alias is asked in place of an address that may not be asked, or that no route leads to, and beside a private one. */
async function targetsAt(allocation: PanelAllocation, allowsLoopback: boolean): Promise<(Target | null)[]> {
  const find = async (host: string | null): Promise<Target | null> => {
    const ip = host && (await findAddress(host));
    const mayAsk = ip && !isNeverCalled(ip) && (allowsLoopback || !isLoopback(ip));
    return mayAsk ? { ip, port: allocation.port, allocation } : null;
  };
  const own = await find(allocation.ip);
  const findAlias = () => find(allocation.alias);
  if (!own) return [await findAlias()];
  return isPrivate(own.ip) ? [own, await findAlias()] : [{ ...own, findOther: lazy(findAlias) }];
}

/** By the system's look-up, as the host may have its names in a file; null where there is none in time, or one of a zone. */
const findAddress = (host: string): Promise<string | null> =>
  withTimeout(lookupMsMax, lookup(host, { order: 'ipv4first' }))
    .then(({ address }) => meantAddress(address))
    .catch(() => null);
