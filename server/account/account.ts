/** The account page at /account: its files, and the procedures that its sessions call. */
import type { Middleware, Protocol } from '../../bridge/http/request-state.ts';
import { readSessionOperations } from '../../bridge/operations.ts';
import { createSessionTrpc } from '../../bridge/trpc/trpc.ts';
import type { Models } from '../../models/index.ts';
import { accountPageRouter } from '../../routers/account-page.ts';
import type { Clock } from '../../routers/ports.ts';
import { createPage } from './page.ts';
import { createReadSession } from './read-session.ts';
import { createRequireSameOrigin } from './require-same-origin.ts';

export const accountPrefix = '/account';

/** Where the page's tRPC client calls. */
export const accountTrpcPrefix = `${accountPrefix}/trpc`;

interface AccountParts {
  models: Models;
  clock: Clock;
  /** The address users see, when it is configured. */
  publicUrl: string | undefined;
}

interface Account {
  page: Middleware;
  trpc: Protocol;
  authenticate: Middleware;
}

export function createAccount({ models, clock, publicUrl }: AccountParts): Account {
  const isHttps = publicUrl?.startsWith('https:') ?? false;
  return {
    page: createPage({ prefix: accountPrefix, isHttps }),
    trpc: createSessionTrpc(readSessionOperations(accountPageRouter), {
      prefix: accountTrpcPrefix,
      guard: createRequireSameOrigin({ publicUrl }),
    }),
    authenticate: createReadSession({ models, clock, publicUrl }),
  };
}
