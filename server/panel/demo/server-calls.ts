/** Answers the calls of the client API about one server, as a panel does. */
import { notFound, type PanelAnswer, readField, refusal } from './answers.ts';
import { backupRoutes } from './backup-calls.ts';
import { fileRoutes } from './file-calls.ts';
import type { GameServer, Panel, ReceivedServerRequest, ServerRoutes } from './panel.ts';
import { scheduleRoutes } from './schedule-calls.ts';
import { startupRoutes } from './startup-calls.ts';

export const routeOf = ({ method, rest }: ReceivedServerRequest) =>
  `${method} ${rest.replace(/(?<=^(backups|schedules)\/|\/tasks\/)[^/]+/g, ':id')}`;

export const answerServerCall = (call: ReceivedServerRequest, panel: Panel): PanelAnswer =>
  routes[routeOf(call)]?.(call, panel) ?? notFound();

export const presentServer = ({ attributes: { identifier, container } }: GameServer) => ({
  identifier,
  docker_image: container.image,
});

const flags = { is_node_under_maintenance: false, is_transferring: false };

const routes: ServerRoutes = {
  ...fileRoutes,
  ...backupRoutes,
  ...scheduleRoutes,
  ...startupRoutes,
  'GET ': ({ server }) => ({
    body: { object: 'server', attributes: { ...presentServer(server), ...flags } },
  }),
  'GET resources': ({ server }) => ({
    body: { object: 'stats', attributes: { is_suspended: false, ...server.stats() } },
  }),
  'GET websocket': ({ server, headers }, panel) => ({
    body: { data: panel.consoleAccess(server.attributes.uuid, headers.host ?? '') },
  }),
  'POST power'(call) {
    call.server.signal(String(readField(call, 'signal')));
    return { status: 204 };
  },
  'POST command'(call) {
    if (call.server.stats().current_state === 'offline') return refusal(502, 'HttpException');
    call.server.enter(String(readField(call, 'command')));
    return { status: 204 };
  },
};
