/**
 * The panel port over the HTTP API of Pterodactyl and Pelican: reads with the application key,
 * power with the client key. Whatever goes wrong leaves as upstreamFailed, in our words.
 */
import { notFound } from '../../routers/errors.ts';
import type { Panel, PanelServer, PowerSignal } from '../../routers/ports.ts';
import { diagnose, isNotFound } from './diagnosis.ts';
import { PanelFailure, presentFailure } from './failures.ts';
import { createGuard, type Guard } from './guard.ts';
import { createListCache } from './list-cache.ts';
import { type PterodactylPanelOptions, panelDefaults, type TraceCall } from './options.ts';
import { createPanelHttp, type PanelHttp } from './panel-http.ts';
import { pathSegment } from './path-segment.ts';
import { readServers } from './server-shape.ts';

/** Asks nothing of the panel until it is called. Throws TypeError when the address is none. */
export function createPterodactylPanel(options: PterodactylPanelOptions): Panel {
  const { traceCall = untraced } = options;
  const settings = {
    ...panelDefaults,
    onOutcome: () => {},
    ...options,
    traceCall,
    url: baseUrl(options.url),
  };
  const http = createPanelHttp(settings);
  const listServers = createListCache({
    ...settings,
    load: createListCall(http, settings.url, createGuard('application', settings)),
  });
  const sendPower = createPowerCall(http, createGuard('client', settings));
  return {
    kind: settings.kind,
    listServers: (...call) => listServers(...call).catch(refuse('read')),
    sendPower: (...call) => sendPower(...call).catch(refuse('power')),
  };
}

const untraced: TraceCall = (_what, call) => call({});

/** Nothing but origin and path: a password in the address must not reach the customers' `panel_url`. */
function baseUrl(url: string) {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/(?<!\/)\/+$/, '');
}

const createListCall =
  (http: PanelHttp, panelUrl: string, guard: Guard) => (userId: number, requestId: string) =>
    guard(requestId, async (): Promise<PanelServer[]> => {
      const answer = await http.get(`api/application/users/${userId}?include=servers`, requestId);
      if (isNotFound(answer)) return [];
      if (answer.status !== 200) throw diagnose(answer);
      return readServers(answer.body, panelUrl);
    });

const createPowerCall =
  (http: PanelHttp, guard: Guard) => async (identifier: string, signal: PowerSignal, requestId: string) => {
    const segment = pathSegment(identifier);
    if (segment === null) throw notFound('Server');
    await guard(requestId, async () => {
      const answer = await http.postSignal(`api/client/servers/${segment}/power`, signal, requestId);
      if (isNotFound(answer)) throw notFound('Server');
      if (answer.status !== 204) throw diagnose(answer);
    });
  };

const refuse = (call: 'read' | 'power') => (error: unknown) => {
  throw error instanceof PanelFailure ? presentFailure(error, call) : error;
};
