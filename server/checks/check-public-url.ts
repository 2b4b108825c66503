/** Checks whether PUBLIC_URL, the address that users and their apps call, leads to this service. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { restPrefix } from '../../bridge/rest/rest.ts';
import { type Config, localUrlOf } from '../config.ts';
import type { Log } from '../observability/log.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 15_000;

type Addresses = Pick<Config, 'publicUrl' | 'host' | 'port'>;

export async function checkPublicUrl(
  { publicUrl, ...local }: Addresses,
  signal?: AbortSignal,
): Promise<Finding> {
  const localUrl = localUrlOf(local);
  if (publicUrl === undefined)
    return {
      state: 'off',
      message: `PUBLIC_URL is not set: links begin with ${localUrl}, and apps cannot sign users in`,
    };
  const found = await findService(publicUrl, signal);
  if (found.servedAt === publicUrl) return { state: 'ok', message: `${publicUrl} answers as this service` };
  const problem = found.problem ?? `a service with another PUBLIC_URL answers at ${publicUrl}`;
  if ((await findService(localUrl, signal)).problem)
    return { state: 'note', message: `the service does not run at ${localUrl} yet, and ${problem}` };
  return {
    state: 'failed',
    message: `${problem}, though the service runs at ${localUrl}: check PUBLIC_URL, its name and the proxy`,
  };
}

const retryMs = 10_000;
const attemptsMax = 6;

/**
 * Repeats the check until PUBLIC_URL leads here, because a proxy may need a while to notice the start. Logs a warning if the
 * last check fails too. Returns a function that stops the checks.
 */
export function warnOfPublicUrl(addresses: Addresses, log: Pick<Log, 'warn'>): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function watch(): Promise<void> {
    for (let attempts = 1; ; attempts += 1) {
      const { state, message } = await checkPublicUrl(addresses, signal);
      if (state === 'ok' || state === 'off' || signal.aborted) return;
      if (attempts === attemptsMax) return log.warn(message);
      await delay(retryMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }
  void watch();
  return async () => stopping.abort();
}

const Document = z
  .object({ servers: z.tuple([z.object({ url: z.string().endsWith(restPrefix) })]) })
  .transform(({ servers: [{ url }] }) => url.slice(0, -restPrefix.length));

async function findService(
  address: string,
  signal: AbortSignal | undefined,
): Promise<{ servedAt?: string; problem?: string }> {
  const end = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  try {
    const response = await fetch(`${address}${restPrefix}/openapi.json`, { redirect: 'manual', signal: end });
    if (response.status >= 300 && response.status < 400)
      return { problem: `${address} answers with a redirect to ${response.headers.get('location')}` };
    return { servedAt: Document.parse(await response.json()) };
  } catch (failure) {
    const isOther = failure instanceof z.ZodError || failure instanceof SyntaxError;
    if (isOther) return { problem: `another program answers at ${address}` };
    return { problem: `nothing answers at ${address} (${reasonOf(failure)})` };
  }
}

/** An error of fetch says only that it failed; its cause has the reason. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  return failure.cause instanceof Error ? failure.cause.message : failure.message;
}
