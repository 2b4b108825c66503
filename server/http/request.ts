/** Reads the head of a request: its id, the address it comes from, and the address it was sent to. */
import { randomUUID } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type Koa from 'koa';
import {
  headerOf,
  type RequestContext,
  type RequestRecord,
  type RequestState,
} from '../../bridge/protocol.ts';
import { visitor } from '../../routers/caller.ts';
import { maskSecrets } from '../../routers/support/mask-secrets.ts';

/** The record of redirects, probes and preflights, which never reach the pipeline. */
const notHandled: RequestRecord = { protocol: 'rest', caller: visitor, calls: [] };

export const createState = (ctx: RequestContext): RequestState => ({
  request: {
    id: sentRequestId(ctx) ?? randomUUID().replaceAll('-', ''), // 32 hex digits, like trace ids
    method: ctx.req.method ?? '',
    path: pathOf(ctx),
    address: clientAddress(ctx.ip),
    receivedAt: performance.now(),
  },
  record: notHandled,
});

/** Some clients and probes call these paths with a slash at the end. Nothing else is served there. */
const slashOptionalPath = /^\/(mcp|healthz|readyz|trpc\/[^/]+|\.well-known\/oauth-[\w-]+(\/mcp)?)\/$/;

/** Empty if the target has no path or cannot be parsed; `refuseHead` then refuses the request. */
function pathOf(ctx: RequestContext): string {
  try {
    const path = ctx.path ?? ''; // may be null, which Koa's type hides
    return path.endsWith('/') && slashOptionalPath.test(path) ? path.slice(0, -1) : path;
  } catch {
    return '';
  }
}

const safeRequestId = /^[\w.:-]{1,128}$/;

function sentRequestId(ctx: RequestContext): string | null {
  const sent = headerOf(ctx, 'x-request-id');
  return safeRequestId.test(sent) && maskSecrets(sent) === sent ? sent : null;
}

/** Drops the port that some proxies add in X-Forwarded-For: 1.2.3.4:5678 or [v6]:5678. */
export function clientAddress(written: string): string {
  if (!written.includes(':') || isIPv6(written)) return written;
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(written)?.[1];
  return bracketed ?? written.replace(/:\d+$/, '');
}

const hostPattern = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Uses Host, or behind a trusted proxy X-Forwarded-Host and X-Forwarded-Proto. If the host is malformed, uses the socket's
 * address. The result has no trailing slash.
 */
export function baseUrlOf({ host, protocol, req }: Pick<Koa.Context, 'host' | 'protocol' | 'req'>): string {
  const scheme = protocol === 'https' ? 'https' : 'http'; // X-Forwarded-Proto may be any text
  const url = `${scheme}://${host.toLowerCase()}`;
  return hostPattern.test(host) && URL.canParse(url) ? url : `${scheme}://${socketHost(req.socket)}`;
}

function socketHost({ localAddress = 'localhost', localPort = 80 }: Koa.Context['req']['socket']): string {
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
