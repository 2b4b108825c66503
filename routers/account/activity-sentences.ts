/**
 * A sentence for each operation of the audit: "Stopped Rusty Weekend", or "Tried to stop Rusty Weekend" if it failed. The
 * reader fills in {target} and {detail}, because the page knows the names of servers and keys.
 */
import type { z } from 'zod';
import type { Activity } from '../schemas/activity.ts';

type Called = Pick<z.infer<typeof Activity>, 'operation' | 'target' | 'detail' | 'status'>;

/** Begins with a verb. The second of two texts is for calls that lack a value which the first one names. */
type Words = string | readonly [string, string];

const file = (verb: string): Words => [`${verb} {detail} of {target}`, `${verb} a file of {target}`];

const backup = (verb: string) => `${verb} a backup of {target}`;

/** Session operations have their own names for the webhooks of the host. */
const hostWebhooks = {
  create: ["add the host's webhook {target}", 'add a webhook of the host'],
  change: "change the host's webhook {target}",
  delete: "delete the host's webhook {target}",
  rotateSecret: "rotate the secret of the host's webhook {target}",
  test: "test the host's webhook {target}",
  redeliver: "send an event again to the host's webhook {target}",
} satisfies Record<string, Words>;

const sentences: Readonly<Record<string, Words>> = {
  'account.me': 'read the profile',
  'subscriptions.list': 'list the subscriptions',
  'announcements.list': 'list the announcements',
  'catalog.listGames': 'list the games',
  'catalog.getGame': 'read the game {target}',
  'activity.list': 'list the activity',
  'activity.summary': 'read the summary of the activity',

  'servers.list': 'list the servers',
  'servers.states': 'read the states of the servers',
  'servers.get': 'read {target}',
  'servers.resources': 'read the state of {target}',
  'servers.players': 'list the players on {target}',
  'servers.power': ['{detail} {target}', 'send a power signal to {target}'],
  'servers.backups.list': 'list the backups of {target}',
  'servers.backups.create': ['create the backup {detail} of {target}', backup('create')],
  'servers.backups.get': backup('read'),
  'servers.backups.delete': backup('delete'),
  'servers.backups.restore': backup('restore'),
  'servers.backups.download': 'get a download link for a backup of {target}',
  'servers.console.get': 'read the console of {target}',
  'servers.console.send': 'send a command to the console of {target}',
  'servers.files.list': ['list {detail} of {target}', 'list the files of {target}'],
  'servers.files.read': file('read'),
  'servers.files.write': file('write'),
  'servers.files.fetch': file('fetch'),
  'servers.files.move': ['move {detail} on {target}', 'move a file of {target}'],
  'servers.files.delete': ['delete {detail} of {target}', 'delete files of {target}'],
  'servers.files.createDirectory': [
    'create the directory {detail} on {target}',
    'create a directory on {target}',
  ],
  'servers.files.download': [
    'get a download link for {detail} of {target}',
    'get a download link for a file of {target}',
  ],
  'servers.files.createUploadLink': [
    'create an upload link for {detail} of {target}',
    'create an upload link for {target}',
  ],
  'servers.schedules.list': 'list the schedules of {target}',
  'servers.schedules.create': ['create a schedule for {target}', 'create a schedule'],
  'servers.schedules.replace': ['change a schedule of {target}', 'change a schedule'],
  'servers.schedules.delete': 'delete a schedule of {target}',
  'servers.schedules.run': 'run a schedule of {target}',
  'servers.startup.get': 'read how {target} starts',
  'servers.startup.change': ['change {detail} of the startup of {target}', 'change how {target} starts'],
  'servers.reinstall': 'reinstall {target}',

  'tickets.list': 'list the tickets',
  'tickets.get': 'read ticket {target}',
  'tickets.create': ['open ticket {target}', 'open a ticket'],
  'tickets.reply': 'reply to ticket {target}',
  'tickets.close': 'close ticket {target}',
  'tickets.reopen': 'reopen ticket {target}',
  'answers.save': 'save an answer for tickets',
  'answers.delete': 'delete a saved answer',

  'webhooks.list': 'list the webhooks',
  'webhooks.create': ['add the webhook {target}', 'add a webhook'],
  'webhooks.get': 'read the webhook {target}',
  'webhooks.change': 'change the webhook {target}',
  'webhooks.delete': 'delete the webhook {target}',
  'webhooks.rotateSecret': 'rotate the secret of the webhook {target}',
  'webhooks.test': 'test the webhook {target}',
  'webhooks.listDeliveries': 'list the deliveries of the webhook {target}',
  'webhooks.redeliver': 'send an event again to the webhook {target}',
  ...Object.fromEntries(
    Object.entries(hostWebhooks).map(([name, words]) => [`webhooks.host.${name}`, words]),
  ),

  'keys.current': 'read what its key may do',
  'keys.create': ['create the key {target}', 'create a key'],
  'keys.rotate': 'rotate the key {target}',
  'keys.rename': 'rename the key {target}',
  'keys.revoke': 'revoke the key {target}',
  'credentials.revoke': ['report that {target} leaked', 'report a leaked key'],
  'apps.allow': 'connect an app',
  'apps.deny': 'refuse to connect an app',
  'apps.change': 'change the rights of an app',
  'apps.revoke': 'disconnect an app',
  'apps.renew': 'renew its connection',
  'apps.end': 'end its connection',

  'session.signIn': 'sign in',
  'session.signOut': 'sign out',
  'session.mailLink': 'request a sign-in link by mail',
  'session.readLink': 'open a sign-in link',
  'session.signInByLink': 'sign in by link',
  'session.askForPasskey': 'begin to sign in with a passkey',
  'session.showFactor': 'show a second factor',
  'session.startSingleSignOn': 'begin single sign-on',
  'session.finishSingleSignOn': 'sign in by single sign-on',
  'session.changePassword': 'change the password',
  'sessions.end': 'end another session',
  'sessions.endOthers': 'end all other sessions',
  'factors.beginAuthenticatorApp': 'begin to add an authenticator app',
  'factors.addAuthenticatorApp': 'add an authenticator app',
  'factors.beginPasskey': 'begin to add a passkey',
  'factors.addPasskey': 'add a passkey',
  'factors.rename': 'rename a second factor',
  'factors.remove': 'remove a second factor',
  'factors.replaceRecoveryCodes': 'replace the recovery codes',
  'factors.reset': 'remove all second factors',
  'notices.change': 'change the mail settings',

  'admin.listAnnouncements': 'list all announcements',
  'admin.getAnnouncement': 'read announcement {target}',
  'admin.createAnnouncement': ['create announcement {target}', 'create an announcement'],
  'admin.changeAnnouncement': 'change announcement {target}',
  'admin.publishAnnouncement': 'publish announcement {target}',
  'admin.deleteAnnouncement': 'delete announcement {target}',
  'admin.listTickets': 'list the tickets of all customers',
  'admin.getTicket': 'read ticket {target} of a customer',
  'admin.answerTicket': 'answer ticket {target}',
  'admin.setTicketStatus': 'set the status of ticket {target}',
  'admin.assignTicket': 'take or release ticket {target}',
  'admin.noteTicket': 'add a note to ticket {target}',
  'admin.listUsers': 'list the users',
  'admin.getUser': 'read user {target}',
  'admin.putUser': 'create or change user {target}',
  'admin.deleteUser': 'delete user {target}',
  'admin.listUserServers': 'list the servers of user {target}',
  'admin.createSignInLink': 'create a sign-in link for user {target}',
  'admin.inviteUser': 'invite user {target}',
  'admin.putSubscription': 'create or change subscription {target}',
  'admin.deleteSubscription': 'delete subscription {target}',
  'admin.listGames': 'list all games',
  'admin.getGame': 'read game {target}',
  'admin.putGame': 'create or change game {target}',
  'admin.deleteGame': 'delete game {target}',
  'admin.listWebhooks': "list the host's webhooks",
  'admin.getWebhook': "read the host's webhook {target}",
  'admin.createWebhook': hostWebhooks.create,
  'admin.changeWebhook': hostWebhooks.change,
  'admin.deleteWebhook': hostWebhooks.delete,
  'admin.rotateWebhookSecret': hostWebhooks.rotateSecret,
  'admin.testWebhook': hostWebhooks.test,
  'admin.listWebhookDeliveries': "list the deliveries of the host's webhook {target}",
  'admin.redeliverWebhookEvent': hostWebhooks.redeliver,
};

const pasts: Readonly<Record<string, string>> = {
  begin: 'began',
  get: 'got',
  read: 'read',
  run: 'ran',
  send: 'sent',
  set: 'set',
  show: 'showed',
  stop: 'stopped',
  take: 'took',
  write: 'wrote',
};

function pastOf(verb: string): string {
  if (verb.endsWith('e')) return `${verb}d`;
  return verb.endsWith('y') ? `${verb.slice(0, -1)}ied` : `${verb}ed`;
}

/** "create or change" becomes "created or changed". */
const inPast = (words: string) =>
  words.replace(/^\w+( or \w+)?/, (verbs) =>
    verbs.replace(/\w+/g, (verb) => (verb === 'or' ? verb : (pasts[verb] ?? pastOf(verb)))),
  );

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A call that was refused before its operation was known has none. An earlier release may have had other operations. */
function wordsOf({ operation, target, detail }: Called): string {
  if (operation === null) return 'call the API';
  const words = (Object.hasOwn(sentences, operation) && sentences[operation]) || `call ${operation}`;
  const [first, second] = typeof words === 'string' ? [words, words] : words;
  const lacks = (name: string, value: unknown) => first.includes(name) && !value;
  return lacks('{target}', target) || lacks('{detail}', detail) ? second : first;
}

export function sentenceOf(call: Called): string {
  // The signals of servers.power are verbs.
  const words = wordsOf(call).replace(/^\{detail\}/, () => call.detail ?? '');
  return call.status < 400 ? capitalized(inPast(words)) : `Tried to ${words}`;
}
