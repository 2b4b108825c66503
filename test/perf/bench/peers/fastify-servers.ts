/** The reads about one server of the Fastify peer, which asks the same caches of the panel as our own service. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ListPurpose, PanelResources, PanelServer } from '../../../../routers/panel-port.ts';
import { options, ownerOf } from './fastify-options.ts';
import type { PanelReads } from './panel-client.ts';
import { refusals } from './refusal.ts';
import type { Store } from './store.ts';

type ServerRequest = FastifyRequest<{ Params: { server_identifier: string } }>;

export function addServerReads(api: FastifyInstance, store: Store, reads: PanelReads): void {
  async function findOwned(request: ServerRequest, purpose: ListPurpose): Promise<PanelServer> {
    const { panelUserId = null } = (await store.findUser(ownerOf(request).userId)) ?? {};
    const owned = panelUserId === null ? [] : await reads.listServers(panelUserId, request.id, purpose);
    const server = owned.find(({ identifier }) => identifier === request.params.server_identifier);
    if (!server) throw refusals.notFound('Server');
    return server;
  }
  const reading = options('server', 'servers.get', 'read:account');
  api.get('/servers/:server_identifier', reading, async (request: ServerRequest) => ({
    server: presentServer(await findOwned(request, 'detail')),
  }));
  const measuring = options('resources', 'servers.resources', 'read:account');
  api.get('/servers/:server_identifier/resources', measuring, async (request: ServerRequest) => {
    const { identifier } = await findOwned(request, 'ownership');
    return { resources: presentResources(await reads.getResources(identifier, request.id)) };
  });
}

const presentServer = ({ limits, allocations, ...server }: PanelServer) => ({
  id: server.id,
  uuid: server.uuid,
  identifier: server.identifier,
  name: server.name,
  description: server.description,
  type: server.kind,
  is_suspended: server.isSuspended,
  limits: { ...limits, oom_disabled: limits.oomDisabled },
  feature_limits: server.featureLimits,
  panel_url: server.panelUrl,
  created_at: server.createdAt,
  updated_at: server.updatedAt,
  status: server.status,
  allocations: allocations.map(({ isDefault, ...address }) => ({ ...address, is_default: isDefault })),
});

const presentResources = (resources: PanelResources) => ({
  state: resources.state,
  reason: resources.reason,
  memory_bytes: resources.memoryBytes,
  cpu_percent: resources.cpuPercent,
  disk_bytes: resources.diskBytes,
  network_rx_bytes: resources.networkRxBytes,
  network_tx_bytes: resources.networkTxBytes,
  uptime_ms: resources.uptimeMs,
  measured_at: new Date(resources.measuredAt),
});
