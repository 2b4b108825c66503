/** tRPC's own client, with each of its links for HTTP. */
import {
  createTRPCClient,
  httpBatchLink,
  httpBatchStreamLink,
  httpLink,
  TRPCClientError,
  type TRPCLink,
} from '@trpc/client';
import type { AppRouter } from '../../routers/index.ts';
import { failureOf } from './failure-of.ts';

interface LinkOptions {
  url: string;
  headers: Record<string, string>;
}

export const links: Record<string, (options: LinkOptions) => TRPCLink<AppRouter>> = {
  httpLink,
  httpBatchLink,
  httpBatchStreamLink,
  'httpBatchStreamLink asking by Accept': (options) =>
    httpBatchStreamLink({ ...options, streamHeader: 'accept' }),
  'httpLink with POST only': (options) => httpLink({ ...options, methodOverride: 'POST' }),
  'httpBatchLink with POST only': (options) => httpBatchLink({ ...options, methodOverride: 'POST' }),
};

interface ClientOptions {
  key?: string;
  headers?: Record<string, string>;
  link?: (options: LinkOptions) => TRPCLink<AppRouter>;
}

export const createRpcClient = (
  url: string,
  { key, headers = {}, link = httpBatchLink }: ClientOptions = {},
) =>
  createTRPCClient<AppRouter>({
    links: [
      link({ url: `${url}/trpc`, headers: { ...(key && { Authorization: `Bearer ${key}` }), ...headers } }),
    ],
  });

export async function rpcFailureOf(call: Promise<unknown>): Promise<TRPCClientError<AppRouter>> {
  const failure = await failureOf(call);
  if (failure instanceof TRPCClientError) return failure;
  throw failure;
}
