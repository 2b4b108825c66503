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
import { issuerOf } from './own-address.ts';
import { createPanelApi, type PanelApiClient, parseBody, type ReadBody } from './panel-api.ts';

const repeatMs = 60_000;

interface PanelFinding extends Finding {
  api: PanelApi;
}

/** Asks again until nothing fails; what fails is logged and reported as the outcome of a call. Returns what stops it. */
export function checkKeys(settings: PanelSettings): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  async function attempt() {
    const findings = await checkPanel(settings);
    if (isStopped) return;
    const failed = findings.filter(({ state }) => state === 'failed');
    for (const { api, message } of failed) settings.log.error({ api }, message);
    if (failed.length > 0) timer = setTimeout(attempt, repeatMs).unref();
  }
  void attempt();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** A finding for each key, and one for the address. None of the calls needs a node. */
export async function checkPanel({ log, ...settings }: PanelSettings): Promise<PanelFinding[]> {
  const quiet = { ...settings, log: { error: () => {}, warn: () => {} } };
  const client = createPanelApi('client', quiet);
  const [{ identifier = null, ...ofApplicationKey }, ofClientKey] = await Promise.all([
    checkApplicationKey(createPanelApi('application', quiet)),
    checkClientKey(client),
  ]);
  const findings = [ofApplicationKey, ofClientKey];
  if (findings.some(({ state }) => state === 'failed')) return findings;
  return [...findings, await checkAddress(client, identifier, settings)];
}

const NullResource = z.object({ object: z.literal('null_resource') });
const Servers = z.object({
  data: z.array(
    z.object({
      attributes: z.object({
        identifier: z.string(),
        relationships: z.object({ allocations: z.object({ object: z.string() }) }),
      }),
    }),
  ),
});

const neededRights = 'Read for users, servers and allocations';

/** @returns with a server of the panel, if it has one */
async function checkApplicationKey(
  api: PanelApiClient,
): Promise<PanelFinding & { identifier?: string | null }> {
  const found = { part: 'Panel: application key', api: 'application' } as const;
  const setting = 'PANEL_APPLICATION_KEY';
  try {
    await ask(api, 'api/application/users?per_page=1', expectOk);
    const [server] = await ask(
      api,
      'api/application/servers?per_page=1&include=allocations',
      (response) => parseBody(Servers, expectOk(response)).data,
    );
    const { identifier = null, relationships } = server?.attributes ?? {};
    if (NullResource.safeParse(relationships?.allocations).success) {
      const message = `The panel refuses allocations to ${setting}, so servers are shown without addresses: it needs ${neededRights}`;
      return { ...found, state: 'failed', message };
    }
    return { ...found, state: 'ok', message: `has ${neededRights}`, identifier };
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

const Access = z.object({ data: z.object({ token: z.string() }) });

/** @param identifier of any server: the token for its node names the panel's own address */
async function checkAddress(
  api: PanelApiClient,
  identifier: string | null,
  { url, publicUrl }: Pick<PanelSettings, 'url' | 'publicUrl'>,
): Promise<PanelFinding> {
  const found = { part: 'Panel: address', api: 'client' } as const;
  const segment = identifier && pathSegment(identifier);
  if (!segment)
    return {
      ...found,
      state: 'note',
      message: 'PANEL_URL answers; its own address shows with the first server',
    };
  try {
    const path = `api/client/servers/${segment}/websocket`;
    const own = await ask(api, path, (response) =>
      issuerOf(parseBody(Access, expectOk(response)).data.token),
    );
    if (own === null || own === url)
      return { ...found, state: 'ok', message: `PANEL_URL is the panel's own address, ${url}` };
    const message = `PANEL_URL is ${url}, and the panel's own address ${own}: customers are sent to ${publicUrl ?? own}`;
    return { ...found, state: 'note', message };
  } catch (failure) {
    const message = describe(failure, 'PANEL_URL');
    const isOfServer = failure instanceof PanelFailure && !isOfPanel(failure);
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
