/** Finds the addresses at which to query a server's game: those that players connect to, as the panel lists them. */
import { lookup } from 'node:dns/promises';
import type { PanelAllocation } from '../../routers/panel-port.ts';
import { lazy } from '../../routers/support/memoize.ts';
import { withTimeout } from '../limit/with-timeout.ts';
import { isAlwaysForbidden, isLoopbackIp, isPrivateIp, unwrapIpv4 } from '../outbound/addresses.ts';
import type { Target } from './protocol.ts';

/** The default allocation and five others. */
const allocationsMax = 6;

const lookupMsMax = 500;

export async function findTargets(
  allocations: readonly PanelAllocation[],
  allowsLoopback: boolean,
): Promise<Target[]> {
  const ordered = allocations.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
  const found = ordered.slice(0, allocationsMax).map((allocation) => targetsAt(allocation, allowsLoopback));
  return (await Promise.all(found)).flat().filter((target) => target !== null);
}

/** The alias replaces an address that is forbidden or has no route. For a private address, both are queried. */
async function targetsAt(allocation: PanelAllocation, allowsLoopback: boolean): Promise<(Target | null)[]> {
  const find = async (host: string | null): Promise<Target | null> => {
    const ip = host && (await findAddress(host));
    const mayAsk = ip && !isAlwaysForbidden(ip) && (allowsLoopback || !isLoopbackIp(ip));
    return mayAsk ? { ip, port: allocation.port, allocation, isAlias: host === allocation.alias } : null;
  };
  const own = await find(allocation.ip);
  const findAlias = () => find(allocation.alias);
  if (!own) return [await findAlias()];
  return isPrivateIp(own.ip) ? [own, await findAlias()] : [{ ...own, findFallback: lazy(findAlias) }];
}

/** Uses the system's resolver, because names may be in /etc/hosts. Null: no address in time, or an address with a zone. */
const findAddress = (host: string): Promise<string | null> =>
  withTimeout(lookupMsMax, lookup(host, { order: 'ipv4first' }))
    .then(({ address }) => unwrapIpv4(address))
    .catch(() => null);
