/** Provokes the refusals that belong to one operation. The OpenAPI document shows one of them as its example. */
import type { UserRecord } from '../../models/user.ts';
import { exampleServerId } from '../../routers/schemas/common.ts';
import { exampleWebhookId } from '../../routers/webhooks/webhook-schema.ts';
import { demoEmail } from '../../server/dev/demo-data.ts';
import { panelBackup, panelSchedule, panelTask } from './panel/attributes.ts';
import type { Answer, TestService } from './service.ts';

interface Surroundings {
  service: TestService;
  /** The caller, an administrator. */
  user: UserRecord;
  key: string;
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

/** Changes something through the API first. */
const after =
  (method: string, path: string, changes: object): Refuse =>
  async (ask, { service, key }) => {
    const { status, text } = await service.call(method, path, { key, body: changes });
    if (status !== 200) throw new Error(text);
    return ask();
  };

const afterArchiving = after('POST', '/admin/tickets/1/status', { status: 'Archived' });
const afterSuspending = after('PUT', '/admin/users/customer-1042', { active: false });
const afterTurningOff = after('PATCH', `/webhooks/${exampleWebhookId}`, { active: false });
const afterTurningHostsOff = after('PATCH', `/admin/webhooks/${exampleWebhookId}`, { active: false });

const whileServerIs =
  (state: string, tasks: object[] = []): Refuse =>
  (ask, { service }) => {
    service.panel.runStates.set(exampleServerId, state);
    service.panel.schedules.set(exampleServerId, [panelSchedule({ tasks })]);
    return ask();
  };

const withBackup =
  (backup: Parameters<typeof panelBackup>[0]): Refuse =>
  (ask, { service }) => {
    service.panel.backups.set(exampleServerId, [panelBackup(backup)]);
    return ask();
  };

const ofDiscord: Refuse = async (ask, { service }) => {
  const webhooks = service.connection.collection<{ _id: string }>('webhooks');
  await webhooks.updateOne({ _id: exampleWebhookId }, { $set: { format: 'discord' } });
  return ask();
};

/** By operationId. */
export const ownConflicts: Partial<Record<string, Refuse>> = {
  writeServerFile: (ask) => ask({ body: { if_sha256: '0'.repeat(64) } }),
  fetchServerFile: (ask) => ask({ body: { replace: false } }),
  moveServerFile: (ask) => ask({ body: { to: '/logs/latest.log' } }),
  createServerDirectory: (ask) => ask({ body: { directory: '/plugins' } }),
  createServerSchedule: (_, { lateWrite }) => lateWrite,
  replaceServerSchedule: (ask) => ask({ body: { tasks: [{ action: 'power', signal: 'kill' }] } }),
  runServerSchedule: whileServerIs('running', [panelTask({ action: 'power', payload: 'kill' })]),
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

/** By operationId. Other operations show that a field is not valid. */
export const ownBadRequests: Partial<Record<string, Refuse>> = {
  createServerBackup(ask, surroundings) {
    const server = serverOf(surroundings);
    server.feature_limits = { ...server.feature_limits, backups: 1 };
    return ask();
  },
  deleteServerBackup: withBackup({ is_locked: true }),
  restoreServerBackup: whileServerIs('running'),
  reinstallServer: withBackup({}), // it is from May
  sendConsoleCommand: whileServerIs('offline'),
  runServerSchedule: whileServerIs('offline', [panelTask({ action: 'command', payload: 'say Hello' })]),
  replyToTicket: afterArchiving,
  closeTicket: afterArchiving,
  reopenTicket: afterArchiving,
  answerCustomerTicket: afterArchiving,
  rotateWebhookSecret: ofDiscord,
  testWebhook: afterTurningOff,
  redeliverWebhookEvent: afterTurningOff,
  adminRotateWebhookSecret: ofDiscord,
  adminTestWebhook: afterTurningHostsOff,
  adminRedeliverWebhookEvent: afterTurningHostsOff,
  adminPutUser: (ask) => ask({ path: '/admin/users/customer-1043', body: { email: undefined } }),
  adminCreateSignInLink: afterSuspending,
  adminInviteUser: afterSuspending,
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
