/**
 * What the panel lets our keys do: asked at the start, so that the operator learns of keys that do not work before a customer,
 * and by `check`.
 */
import { z } from 'zod';
import type { Finding } from '../checks/finding.ts';
import { accountPath } from './client-http.ts';
import { diagnosePanel } from './diagnose.ts';
import { describeFailure, isOfPanel, type PanelApi, PanelFailure } from './failures.ts';
import { pathSegment } from './http-client.ts';
import type { PanelSettings } from './options.ts';
import { issuerOf, waitForLook } from './own-address.ts';
import { createPanelApi, type PanelApiClient, parseBody, type ReadBody } from './panel-api.ts';

interface PanelFinding extends Finding {
  api: PanelApi;
  /** A setting says otherwise than the panel, which works all the same. */
  contradicts?: boolean;
}

/** Among so many, one can be asked for a token. */
const serversLookedAt = 10;
/** A panel may have no server for long, or none that can be asked. */
const roundsForAddress = 10;

/**
 * Looks at the start, and again while the panel does not work or its own address is not known. What fails is logged and
 * reported as the outcome of a call. Returns what stops it.
 */
export function checkKeys(settings: PanelSettings, isWorking: () => boolean): () => void {
  const { log, ownAddress, checkAgainMs } = settings;
  const said = new Set<string>();
  let isStopped = false;
  let hasFailed = false;
  let round = 0;

  async function attempt() {
    const findings = await checkPanel(settings);
    hasFailed = findings.some(({ state }) => state === 'failed');
    if (isStopped) return;
    for (const { api, state, message, contradicts } of findings) {
      if (state === 'failed') log.error({ api }, message);
      else if (contradicts && !said.has(message)) log.warn({ api }, message);
      said.add(message);
    }
  }
  const look = () =>
    attempt().catch((failure) => {
      hasFailed = true;
      log.error({ err: failure }, 'The panel could not be looked at');
    });
  function lookAgain() {
    round += 1;
    const asksForAddress = !ownAddress.isKnown() && round % roundsForAddress === 0;
    if (hasFailed || asksForAddress || !isWorking()) void look();
  }

  ownAddress.settled = waitForLook(look());
  const timer = setInterval(lookAgain, checkAgainMs).unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

/** A finding for each key, and one for what the settings say of the panel. None of the calls needs a node. */
export async function checkPanel({ log, ...settings }: PanelSettings): Promise<PanelFinding[]> {
  const quiet = { ...settings, log: { error: () => {}, warn: () => {} } };
  const client = createPanelApi('client', quiet);
  const [{ servers = [], ...ofApplicationKey }, ofClientKey] = await Promise.all([
    checkApplicationKey(createPanelApi('application', quiet)),
    checkClientKey(client),
  ]);
  const findings = [ofApplicationKey, ofClientKey];
  if (findings.some(({ state }) => state === 'failed')) return findings;
  return [...findings, ...checkType(servers, settings), await checkAddress(client, servers, settings)];
}

const NullResource = z.object({ object: z.literal('null_resource') });
const Servers = z.object({
  data: z.array(
    z.object({
      attributes: z.object({
        identifier: z.string(),
        status: z.string().nullable().catch(null),
        suspended: z.boolean().catch(false),
        nest: z.unknown().optional(),
        relationships: z.object({ allocations: z.object({ object: z.string() }) }),
      }),
    }),
  ),
});

type Server = z.output<typeof Servers>['data'][number]['attributes'];

const neededRights = 'Read for users, servers and allocations';

/** @returns with some servers of the panel, if it has any */
async function checkApplicationKey(api: PanelApiClient): Promise<PanelFinding & { servers?: Server[] }> {
  const found = { part: 'Panel: application key', api: 'application' } as const;
  const setting = 'PANEL_APPLICATION_KEY';
  try {
    await ask(api, 'api/application/users?per_page=1', expectOk);
    const servers = await ask(
      api,
      `api/application/servers?per_page=${serversLookedAt}&include=allocations`,
      (response) => parseBody(Servers, expectOk(response)).data.map(({ attributes }) => attributes),
    );
    if (servers.some(({ relationships }) => NullResource.safeParse(relationships.allocations).success)) {
      const message = `The panel refuses allocations to ${setting}, so servers are shown without addresses: it needs ${neededRights}`;
      return { ...found, state: 'failed', message };
    }
    return { ...found, state: 'ok', message: `has ${neededRights}`, servers };
  } catch (failure) {
    return {
      ...found,
      state: 'failed',
      message: describe(failure, `${setting}, which needs ${neededRights}`),
    };
  }
}

async function checkClientKey(api: PanelApiClient): Promise<PanelFinding> {
  const found = { part: 'Panel: client key', api: 'client' } as const;
  try {
    await ask(api, accountPath, expectOk);
    return { ...found, state: 'ok', message: 'belongs to a root administrator' };
  } catch (failure) {
    return { ...found, state: 'failed', message: describe(failure, 'PANEL_CLIENT_KEY') };
  }
}

/** Only Pterodactyl has nests. What `kind` shows to customers may also be the host's own word. */
function checkType([server]: Server[], { kind }: Pick<PanelSettings, 'kind'>): PanelFinding[] {
  const type = server && (server.nest === undefined ? 'pelican' : 'pterodactyl');
  if (!type || kind === type || !['pelican', 'pterodactyl'].includes(kind)) return [];
  const message = `PANEL_TYPE is ${kind}, and the panel is a ${type}: set PANEL_TYPE=${type}, which customers read as the type of their servers`;
  return [{ part: 'Panel: type', api: 'application', state: 'note', message, contradicts: true }];
}

const Access = z.object({ data: z.object({ token: z.string() }) });

/** The token for a server's node names the panel's own address. */
async function checkAddress(
  api: PanelApiClient,
  servers: Server[],
  { url, publicUrl, ownAddress }: Pick<PanelSettings, 'url' | 'publicUrl' | 'ownAddress'>,
): Promise<PanelFinding> {
  const found = { part: 'Panel: address', api: 'client' } as const;
  const server = servers.find(({ status, suspended }) => status === null && !suspended) ?? servers[0];
  const segment = server && pathSegment(server.identifier);
  if (!segment)
    return {
      ...found,
      state: 'note',
      message: 'PANEL_URL answers; its own address shows with the first server',
    };
  try {
    const path = `api/client/servers/${segment}/websocket`;
    const read: ReadBody<{ token: string }> = (response) => parseBody(Access, expectOk(response)).data;
    const { token } = await api.send({ path, requestId: 'check', kind: 'GET websocket' }, read);
    ownAddress.learn(token);
    const own = issuerOf(token);
    if (own === null || own === url)
      return { ...found, state: 'ok', message: `PANEL_URL is the panel's own address, ${url}` };
    const message = `PANEL_URL is ${url}, and the panel's own address ${own}: customers are sent to ${publicUrl ?? own}`;
    return { ...found, state: 'note', message, contradicts: publicUrl !== own };
  } catch (failure) {
    const message = describe(failure, 'PANEL_URL');
    // Few tokens are given for one server in a minute.
    const isOfServer =
      failure instanceof PanelFailure && (!isOfPanel(failure) || failure.kind === 'throttled');
    return isOfServer ? { ...found, state: 'note', message } : { ...found, state: 'failed', message };
  }
}

const ask = <Value>(api: PanelApiClient, path: string, read: ReadBody<Value>) =>
  api.send({ path, requestId: 'check' }, read);

const expectOk: ReadBody<unknown> = (response) => {
  if (response.status !== 200) throw diagnosePanel(response);
  return response.body;
};

function describe(failure: unknown, setting: string): string {
  if (!(failure instanceof PanelFailure)) throw failure;
  return describeFailure(failure, setting);
}
