/**
 * HTTP to the client API, which asks for the account of our key where a response may mean that the key has no rights, or
 * that the panel itself fails: both look as if they were about one server or its node.
 */
import { z } from 'zod';
import { createCache } from '../../models/support/cache.ts';
import { diagnosePanel, isNotFound, mayBeOfNode } from './diagnose.ts';
import { PanelFailure } from './failures.ts';
import { createPanelHttpClient, type PanelHttpClient, type PanelResponse } from './http-client.ts';
import type { PanelSettings } from './options.ts';

export const accountPath = 'api/client/account';

/** Rights are seldom changed, and servers are deleted often. */
const accountTtlMs = 60_000;

const Account = z.object({
  attributes: z.object({ admin: z.boolean().optional(), root_admin: z.boolean().optional() }),
});

export function createClientHttp(settings: PanelSettings): PanelHttpClient {
  const http = createPanelHttpClient('client', settings);
  const account = createCache<'own', true>({
    clock: settings.clock,
    entriesMax: 1,
    load: (_, requestId) => askForAccount(http, requestId).catch(blameNoServer),
  });
  /** @throws {PanelFailure} where the key has no rights or the panel fails */
  const requireAccount = (requestId: string, ageMsMax: number) => account.get('own', { requestId, ageMsMax });

  return async (request) => {
    const response = await http(request);
    if (request.path === accountPath) requireRights(response);
    else if (isNotFound(response)) await requireAccount(request.requestId, accountTtlMs);
    else if (mayBeOfNode(response)) await requireAccount(request.requestId, settings.listTtlMs);
    return response;
  };
}

async function askForAccount(http: PanelHttpClient, requestId: string): Promise<true> {
  const response = await http({ path: accountPath, requestId });
  requireRights(response);
  if (response.status !== 200) throw diagnosePanel(response);
  return true;
}

function blameNoServer(error: unknown): never {
  throw error instanceof PanelFailure ? Object.assign(error, { concernsNoServer: true }) : error;
}

/** @throws {PanelFailure} where the panel says that the key's owner is no root administrator */
function requireRights({ body }: PanelResponse) {
  const { attributes } = Account.safeParse(body).data ?? {};
  if ((attributes?.admin ?? attributes?.root_admin) === false) throw new PanelFailure('keyWithoutRights');
}
