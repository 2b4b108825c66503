/** Checks the rights of our keys: at the start, before a customer notices a bad key, and for the command `check`. */
import { z } from 'zod';
import type { Finding } from '../checks/finding.ts';
import { withTimeout } from '../limit/with-timeout.ts';
import { concernsWholePanel, describeFailure, type PanelApi, PanelFailure } from './failures.ts';
import { pathSegment } from './http-client.ts';
import { issuerOf } from './panel-address.ts';
import { accountPath, createPanelApi, type PanelApiClient, parseResponse } from './panel-api.ts';
import type { PanelSettings } from './settings.ts';

interface PanelFinding extends Finding {
  part: string;
  api: PanelApi;
  /** A setting disagrees with the panel, but calls work anyway. */
  contradicts?: boolean;
}

const serversMax = 10;
/** How long the first lists of servers wait for this check, which finds the base of their `panel_url`. */
const firstCheckMsMax = 2_000;
/** How many rounds apart checks are if only the panel's address is unknown: without servers, no token shows it. */
const roundsForAddress = 10;

/** Checks at the start, and again while the panel does not work or its own address is unknown. Returns the stop function. */
export function checkKeys(settings: PanelSettings, isWorking: () => boolean): () => void {
  const { log, panelAddress, checkAgainMs } = settings;
  const loggedMessages = new Set<string>();
  let isStopped = false;
  let hasFailed = false;
  let round = 0;

  async function checkAndLog() {
    try {
      const findings = await checkPanel(settings);
      hasFailed = findings.some(({ state }) => state === 'failed');
      if (isStopped) return;
      for (const { api, state, message, contradicts } of findings) {
        if (state === 'failed') log.error({ api }, message);
        else if (contradicts && !loggedMessages.has(message)) log.warn({ api }, message);
        loggedMessages.add(message);
      }
    } catch (failure) {
      hasFailed = true;
      log.error({ err: failure }, 'The check of the panel failed');
    }
  }
  function checkAgainIfNeeded() {
    round += 1;
    const asksForAddress = !panelAddress.isKnown() && round % roundsForAddress === 0;
    if (hasFailed || asksForAddress || !isWorking()) void checkAndLog();
  }

  panelAddress.firstCheck = withTimeout(firstCheckMsMax, checkAndLog()).catch(() => {});
  const timer = setInterval(checkAgainIfNeeded, checkAgainMs).unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

export async function checkPanel({ log, ...settings }: PanelSettings): Promise<PanelFinding[]> {
  const quiet = { ...settings, log: { error: () => {}, warn: () => {} } };
  const client = createPanelApi('client', quiet);
  let servers: Server[] = [];
  const findings = await Promise.all([
    checkPart('application key', 'application', async () => {
      servers = await listServers(createPanelApi('application', quiet));
      const isRefused = servers.some(({ relationships }) => isNull(relationships.allocations));
      const refused = `The panel refuses allocations to PANEL_APPLICATION_KEY, so servers are shown without addresses: the key needs ${neededRights}`;
      return isRefused ? failed(refused) : { state: 'ok', message: `has ${neededRights}` };
    }),
    checkPart('client key', 'client', async () => {
      await ask(client, { path: accountPath }, z.unknown());
      return { state: 'ok', message: 'belongs to a root administrator' };
    }),
  ]);
  if (findings.some(({ state }) => state === 'failed')) return findings;
  const address = await checkPart('address', 'client', () => checkAddress(client, servers, settings));
  return [...findings, ...checkType(servers, settings), address];
}

type CheckResult = Omit<PanelFinding, 'part' | 'api'>;

const neededRights = 'Read for users, servers and allocations';

const settingOf = {
  'application key': `PANEL_APPLICATION_KEY, which needs ${neededRights}`,
  'client key': 'PANEL_CLIENT_KEY',
  address: 'PANEL_URL',
};

async function checkPart(part: keyof typeof settingOf, api: PanelApi, check: () => Promise<CheckResult>) {
  const found = await check().catch((failure: unknown): CheckResult => {
    if (!(failure instanceof PanelFailure)) throw failure;
    const message = describeFailure(failure, settingOf[part]);
    // Panels give few tokens a minute for one server, so this refusal may concern that server alone.
    const isOfServer = part === 'address' && (!concernsWholePanel(failure) || failure.kind === 'throttled');
    return isOfServer ? { state: 'note', message } : failed(message);
  });
  return { part: `Panel: ${part}`, api, ...found };
}

const failed = (message: string): CheckResult => ({ state: 'failed', message });

const ask = <Value>(
  api: PanelApiClient,
  call: { path: string; kind?: string },
  schema: z.ZodType<Value>,
): Promise<Value> => api.send({ ...call, requestId: 'check' }, (response) => parseResponse(schema, response));

export const ListedServer = z.object({
  identifier: z.string(),
  status: z.string().nullable().catch(null),
  suspended: z.boolean().catch(false),
});

/** Whether the server is installed, and in no state in which its node refuses calls. */
export const isReady = ({ status, suspended }: z.output<typeof ListedServer>) =>
  status === null && !suspended;

const Servers = z.object({
  data: z.array(
    z.object({
      attributes: ListedServer.extend({
        nest: z.unknown().optional(),
        relationships: z.object({ allocations: z.object({ object: z.string() }) }),
      }),
    }),
  ),
});

type Server = z.output<typeof Servers>['data'][number]['attributes'];

const isNull = ({ object }: { object: string }) => object === 'null_resource';

async function listServers(api: PanelApiClient): Promise<Server[]> {
  await ask(api, { path: 'api/application/users?per_page=1' }, z.unknown());
  const path = `api/application/servers?per_page=${serversMax}&include=allocations`;
  return (await ask(api, { path }, Servers)).data.map(({ attributes }) => attributes);
}

/** Only Pterodactyl has nests. `kind` may also be a word that the host chose for its customers. */
function checkType([server]: Server[], { kind }: Pick<PanelSettings, 'kind'>): PanelFinding[] {
  const type = server && (server.nest === undefined ? 'pelican' : 'pterodactyl');
  if (!type || kind === type || !['pelican', 'pterodactyl'].includes(kind)) return [];
  const message = `PANEL_TYPE is ${kind}, but the panel is a ${type}: set PANEL_TYPE=${type}, which customers see as the type of their servers`;
  return [{ part: 'Panel: type', api: 'application', state: 'note', message, contradicts: true }];
}

const Access = z.object({ data: z.object({ token: z.string() }) });

/** The token for a server's node names the panel's own address. */
async function checkAddress(
  api: PanelApiClient,
  servers: Server[],
  { url, publicUrl, panelAddress }: Pick<PanelSettings, 'url' | 'publicUrl' | 'panelAddress'>,
): Promise<CheckResult> {
  const server = servers.find(isReady) ?? servers[0];
  const segment = server && pathSegment(server.identifier);
  if (!segment)
    return {
      state: 'note',
      message: "PANEL_URL answers; the panel's own address is known once the panel has a server",
    };
  const call = { path: `api/client/servers/${segment}/websocket`, kind: 'GET websocket' };
  const { token } = (await ask(api, call, Access)).data;
  panelAddress.learn(token);
  const own = issuerOf(token);
  if (own === null || own === url)
    return { state: 'ok', message: `PANEL_URL is the panel's own address, ${url}` };
  const message = `PANEL_URL is ${url}, but the panel's own address is ${own}: customers are sent to ${publicUrl ?? own}`;
  return { state: 'note', message, contradicts: publicUrl !== own };
}
