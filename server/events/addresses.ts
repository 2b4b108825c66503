/**
 * Which addresses webhooks may be sent to: https at the public internet, and the ranges that the operator opens. The check
 * at creation and the one at each connection are the same.
 */
import { type BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import type { WebhookAddresses } from '../../routers/ports.ts';
import {
  createLookup,
  ForbiddenAddressError,
  findAddresses,
  isPublicIp,
  listOf,
  meantAddress,
} from '../public-address.ts';

export interface AddressRules extends WebhookAddresses {
  /** Whether this may be called as it stands; a name is looked up by `lookup`. */
  isAllowedUrl(url: URL): boolean;
  /** For `request`: fails with ForbiddenAddressError for a name that leads elsewhere. */
  lookup(url: URL): LookupFunction;
}

const lookupTimeoutMs = 3000;

/** Link-local addresses and those at which clouds tell a machine its secrets: no range of the operator opens them. */
const neverOpened = listOf([
  ...['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128', '100.100.100.200/32', '168.63.129.16/32'],
]);

/** @param allowed ranges beside the public internet, as in `10.1.0.0/16` */
export function createAddressRules(allowed: readonly string[]): AddressRules {
  const opened = listOf(allowed);
  const isOpened = (address: string) => {
    const meant = meantAddress(address);
    return contains(opened, meant) && !contains(neverOpened, meant);
  };
  const isCallable = (address: string) => isPublicIp(address) || isOpened(address);
  /** Plain http is for opened ranges only. */
  const ruleOf = ({ protocol }: URL) => (protocol === 'https:' ? isCallable : isOpened);
  const isAllowedUrl = (url: URL) => {
    const host = hostOf(url);
    if (url.username !== '' || url.password !== '') return false;
    if (url.protocol !== 'https:' && (url.protocol !== 'http:' || allowed.length === 0)) return false;
    const address = isLocalhost(host) ? '127.0.0.1' : host;
    return isIP(address) === 0 || ruleOf(url)(address);
  };
  return {
    isAllowedUrl,
    lookup: (url) => createLookup(ruleOf(url)),
    async refusalOf(text) {
      const url = new URL(text);
      const refusal =
        url.protocol === 'https:' ? 'must be at an address of the public internet' : 'must be https';
      if (!isAllowedUrl(url)) return refusal;
      if (isIP(hostOf(url)) !== 0) return null;
      const failure = await withinTime(findAddresses(hostOf(url), ruleOf(url)));
      // A name that leads nowhere today is checked again at each connection.
      return failure instanceof ForbiddenAddressError ? refusal : null;
    },
  };
}

/** Without the brackets of IPv6. `URL` has normalized every spelling of an IPv4 address. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

/** RFC 6761: it is always this machine, whatever a name server says. */
const isLocalhost = (host: string) => /(^|\.)localhost\.?$/.test(host);

const contains = (list: BlockList, address: string) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

/** Resolves to the failure; null when there is none, or none in time. */
function withinTime(lookup: Promise<unknown>): Promise<unknown> {
  const outcome = lookup.then(
    () => null,
    (failure: unknown) => failure,
  );
  return Promise.race([
    outcome,
    new Promise<null>((resolve) => {
      setTimeout(() => resolve(null), lookupTimeoutMs).unref();
    }),
  ]);
}
