/** The account page at /account: its files for everybody, and behind its own door the procedures that need a session. */
import Router from '@koa/router';
import { readSessionCatalogue } from '../../bridge/catalogue.ts';
import type { ContextOf, Middleware, Report, RequestState } from '../../bridge/request-state.ts';
import { createSessionRpc } from '../../bridge/rpc.ts';
import type { Models } from '../../models/index.ts';
import { accountPageRouter } from '../../routers/account-page.ts';
import type { Clock } from '../../routers/ports.ts';
import { createDoor } from './door.ts';
import { createPage } from './page.ts';
import { createPageHeaders } from './page-headers.ts';
import { createReadSession } from './read-session.ts';

export const accountPrefix = '/account';

/** Where the page's tRPC client calls. */
const accountRpcPrefix = `${accountPrefix}/trpc`;

interface AccountParts {
  models: Models;
  clock: Clock;
  /** The address users see, when it is configured. */
  publicUrl: string | undefined;
  audit: Middleware;
  /** Counts what each user asks: a new key has a new limit, so making keys must have one too. */
  limitVisits: Middleware;
  contextOf: ContextOf;
  report: Report;
}

export function createAccount({
  models,
  clock,
  publicUrl,
  audit,
  limitVisits,
  ...parts
}: AccountParts): Middleware {
  const rows = readSessionCatalogue(accountPageRouter);
  const isHttps = publicUrl?.startsWith('https:') ?? false;
  const page = createPage();
  const router = new Router<RequestState>({ prefix: accountPrefix, sensitive: true });
  router.use(createPageHeaders({ isHttps }));
  router.get('/', page);
  router.get('/:file', page);
  router.all(
    '/trpc/:procedures',
    createDoor({ publicUrl }),
    createReadSession({ models, clock, isHttps }),
    audit,
    limitVisits,
    createSessionRpc({ ...parts, rows, prefix: accountRpcPrefix }),
  );
  return router.routes() as Middleware; // the router adds fields of its own to the context, which no other reads
}
