/** Brings operations into the refusals that only they have: the OpenAPI document shows one of them as its example. */
import type { UserRecord } from '../../models/user.ts';
import { exampleServerId } from '../../routers/schemas/common.ts';
import { demoEmail } from '../../server/dev/demo-data.ts';
import { panelSchedule, panelTask } from './panel/attributes.ts';
import type { Answer, TestService } from './service.ts';

interface Surroundings {
  service: TestService;
  /** The caller, an administrator. */
  user: UserRecord;
  /** The answer to a call that waited in vain for another writer of its server's schedules. */
  lateWrite: Promise<Answer>;
}

interface Changes {
  body?: Record<string, unknown>;
  path?: string;
}

export type Ask = (changes?: Changes) => Promise<Answer>;

/** @param ask sends the operation's example with these changes */
type Refuse = (ask: Ask, surroundings: Surroundings) => Promise<Answer>;

/** By operationId. */
export const ownConflicts: Partial<Record<string, Refuse>> = {
  writeServerFile: (ask) => ask({ body: { if_sha256: '0'.repeat(64) } }),
  fetchServerFile: (ask) => ask({ body: { replace: false } }),
  moveServerFile: (ask) => ask({ body: { to: '/logs/latest.log' } }),
  createServerDirectory: (ask) => ask({ body: { directory: '/plugins' } }),
  createServerSchedule: (_, { lateWrite }) => lateWrite,
  replaceServerSchedule: (ask) => ask({ body: { tasks: [{ action: 'power', signal: 'kill' }] } }),
  runServerSchedule(ask, { service }) {
    const tasks = [panelTask({ action: 'power', payload: 'kill' })];
    service.panel.schedules.set(exampleServerId, [panelSchedule({ tasks })]);
    return ask();
  },
  changeServerStartup(ask, surroundings) {
    serverOf(surroundings).container.image = 'ghcr.io/host/own:1';
    return ask();
  },
  async reinstallServer(ask, surroundings) {
    const lease = await surroundings.service.models.fileLeases.take(serverOf(surroundings).uuid, null);
    return ask().finally(() => lease?.release());
  },
  async assignCustomerTicket(ask, { service }) {
    const { user } = await service.addKey();
    await service.models.tickets.assign({ ticketId: 1, to: user._id });
    return ask();
  },
  adminPutUser: (ask) => ask({ body: { email: demoEmail } }),
  adminDeleteUser: (ask, { user }) => ask({ path: `/admin/users/~${user._id}` }),
  adminCreateSignInLink: (ask, { user }) => ask({ path: `/admin/users/~${user._id}/sign-in-link` }),
  adminInviteUser: (ask, { user }) => ask({ path: `/admin/users/~${user._id}/invite` }),
};

function serverOf({ service, user }: Surroundings) {
  const [server] = service.panel.servers.get(user.panelUserId ?? 0) ?? [];
  if (!server) throw new Error('the caller has no server');
  return server;
}

/** Another writer holds the schedules of a customer's server for longer than a call waits, here eight seconds. */
export async function writeLate({ models, addKey, call, panel }: TestService, customer: UserRecord) {
  const [server] = panel.servers.get(customer.panelUserId ?? 0) ?? [];
  if (!server) throw new Error('the customer has no server');
  await models.fileLeases.take(server.uuid, 'schedules');
  const { secret: key } = await addKey({ user: customer });
  const tasks = [{ action: 'power', signal: 'start' }];
  const body = { name: 'Late', cron: '30 4 * * *', tasks };
  return { lateWrite: call('POST', `/servers/${server.identifier}/schedules`, { key, body }) };
}
