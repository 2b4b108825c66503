/** Finds out whether another server may own an address, so that its game is not taken for the customer's. */
import { z } from 'zod';
import { createCache } from '../../models/support/cache.ts';
import { minuteMs } from '../../models/support/durations.ts';
import type { Panel } from '../../routers/panel-port.ts';
import { isNotFound } from './diagnose.ts';
import type { PanelResponse } from './http-client.ts';
import { type PanelApiClient, parseResponse } from './panel-api.ts';
import { keptServersMax } from './panel-call.ts';
import type { PanelSettings } from './settings.ts';

const allocationsMs = 5 * minuteMs;
const pageSize = 100;

const isUnspecified = (ip: string) => ip === '0.0.0.0' || ip === '::';

const Allocations = z.object({
  data: z.array(z.object({ attributes: z.object({ ip: z.string(), port: z.int(), assigned: z.boolean() }) })),
  meta: z
    .object({ pagination: z.object({ total_pages: z.int() }) })
    .optional()
    .catch(undefined),
});

interface NodePort {
  nodeId: number;
  port: number;
}

export function createMayHaveOtherServer(
  api: PanelApiClient,
  { clock }: Pick<PanelSettings, 'clock'>,
): Panel['mayHaveOtherServerAt'] {
  const assigned = createCache<NodePort, Assigned>({
    clock,
    entriesMax: keptServersMax,
    keyOf: ({ nodeId, port }) => `${nodeId} ${port}`,
    async load({ nodeId, port }) {
      api.requireReads();
      const query = new URLSearchParams({ 'filter[port]': String(port), per_page: String(pageSize) });
      const path = `api/application/nodes/${nodeId}/allocations?${query}`;
      const call = { path, requestId: 'allocations', kind: 'GET allocations' };
      return api.send(call, (response) => toAssigned(response, port));
    },
  });
  return async ({ nodeId, allocations }, { ip, port }) => {
    const isOwn = (address: string) => allocations.some((own) => own.ip === address && own.port === port);
    if (ip !== null && isOwn(ip)) return false;
    const { ips } =
      nodeId === null ? unknownAssigned : await assigned.get({ nodeId, port }, { ageMsMax: allocationsMs });
    const mayMean = (address: string) => ip === null || address === ip || [address, ip].some(isUnspecified);
    return !ips || ips.some((address) => !isOwn(address) && mayMean(address));
  };
}

interface Assigned {
  /** IPs that belong to servers at one port of a node; null if unknown. */
  ips: readonly string[] | null;
}

const unknownAssigned: Assigned = Object.freeze({ ips: null });

function toAssigned(response: PanelResponse, port: number): Assigned {
  if (response.status === 403 || isNotFound(response)) return unknownAssigned;
  const { data, meta } = parseResponse(Allocations, response);
  if (meta && meta.pagination.total_pages > 1) return unknownAssigned;
  const all = data.map(({ attributes }) => attributes);
  return Object.freeze({
    ips: all.filter((each) => each.assigned && each.port === port).map(({ ip }) => ip),
  });
}
