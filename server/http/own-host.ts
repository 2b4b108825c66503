/**
 * Refuses requests for another host if the service serves only this machine. Otherwise a web page whose name resolves to this
 * machine (DNS rebinding) could call the service as if from the same origin.
 */
import type { Middleware } from '../../bridge/protocol.ts';
import { ApiError } from '../../routers/errors.ts';
import { isLoopback, isLoopbackHost } from '../loopback.ts';

interface HostSettings {
  publicUrl: string | undefined;
  trustProxy: boolean;
}

/** Null if a proxy decides which hosts lead here, or if PUBLIC_URL is a network address. */
export function createRequireOwnHost({ publicUrl, trustProxy }: HostSettings): Middleware | null {
  if (trustProxy || (publicUrl !== undefined && !isLoopback(new URL(publicUrl)))) return null;
  return function requireOwnHost({ req }, next) {
    const { host } = req.headers;
    if (host && !isLoopbackHost(host)) throw misdirected;
    return next();
  };
}

const misdirected = Object.freeze(
  new ApiError(
    'misdirected_request',
    'This service answers as localhost, 127.0.0.1 and [::1] only; to serve it under another name, set PUBLIC_URL, or TRUST_PROXY behind a proxy',
  ),
);
