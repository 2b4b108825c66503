/** What the Fastify peer reads of servers, over our own client of the panel. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pathProblem } from '../../../../routers/file-path.ts';
import type { ListPurpose, PanelResources, PanelServer } from '../../../../routers/panel-port.ts';
import { presentContent, presentFiles } from '../../../../routers/schemas/file.ts';
import { presentServer } from '../../../../routers/schemas/server.ts';
import { refusals } from './common.ts';
import { routeOf } from './contract.ts';
import { ownerOf } from './owner.ts';
import type { PanelReads } from './panel-client.ts';
import type { Store } from './store.ts';

type OfServer = { Params: { server_identifier: string } };

export function addServerReads(api: FastifyInstance, store: Store, reads: PanelReads): void {
  async function listOwned(request: FastifyRequest, purpose: ListPurpose): Promise<readonly PanelServer[]> {
    const { panelUserId = null } = (await store.findUser(ownerOf(request).userId)) ?? {};
    return panelUserId === null ? [] : (await reads.listServers(panelUserId, request.id, purpose)).servers;
  }
  async function findOwned(request: FastifyRequest<OfServer>, purpose: ListPurpose): Promise<PanelServer> {
    const owned = await listOwned(request as FastifyRequest, purpose);
    const server = owned.find(({ identifier }) => identifier === request.params.server_identifier);
    if (!server) throw refusals.notFound('Server');
    return server;
  }
  addFileReads(api, reads, findOwned);
  api.route<OfServer>({
    ...routeOf('servers.get'),
    handler: async (request) => ({ server: presentServerDetail(await findOwned(request, 'detail')) }),
  });
  api.route<OfServer>({
    ...routeOf('servers.resources'),
    async handler(request) {
      const server = await findOwned(request, 'ownership');
      return { resources: presentResources(await reads.getResources(server, request.id)) };
    },
  });
  api.route({
    ...routeOf('servers.states'),
    async handler(request) {
      const servers = await listOwned(request, 'detail');
      const states = await reads.getStates(servers, request.id);
      return {
        states: states.map((resources, index) => presentState(resources, servers[index])),
        summary: {
          total: servers.length,
          running: states.filter(({ state }) => state === 'running').length,
        },
      };
    },
  });
}

function addFileReads(
  api: FastifyInstance,
  reads: PanelReads,
  findOwned: (request: FastifyRequest<OfServer>, purpose: ListPurpose) => Promise<PanelServer>,
): void {
  const requireProper = (path: string) => {
    if (pathProblem(path) !== null) throw refusals.notFound('File');
  };
  api.route<OfServer & { Querystring: { directory: string } }>({
    ...routeOf('servers.files.list'),
    async handler(request) {
      const { directory } = request.query;
      requireProper(directory);
      const server = await findOwned(request as FastifyRequest<OfServer>, 'action');
      return presentFiles(directory, await reads.listFiles(server, { directory }, request.id));
    },
  });
  api.route<OfServer & { Querystring: { file: string; tail?: number } }>({
    ...routeOf('servers.files.read'),
    async handler(request) {
      const { file: path, tail } = request.query;
      requireProper(path);
      const server = await findOwned(request as FastifyRequest<OfServer>, 'action');
      return presentContent(path, await reads.readFile(server, { path, tail }, request.id));
    },
  });
}

const presentServerDetail = (server: PanelServer) => ({
  ...presentServer(server),
  status: server.status,
  allocations: server.allocations.map(({ isDefault, ...address }) => ({ ...address, is_default: isDefault })),
});

const presentState = ({ state, reason, measuredAt }: PanelResources, server: PanelServer | undefined) => ({
  ...{ server: server?.identifier, name: server?.name },
  ...{ state, reason, measured_at: new Date(measuredAt) },
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
