/** Every store of the service on one connection. */
import type { ClientSession, Connection } from 'mongoose';
import { ActivityCounts } from './activity-count.ts';
import { Announcements } from './announcement.ts';
import { ApiKeyQuota } from './api-key/quota.ts';
import { ApiKeys } from './api-key/store.ts';
import { AuditEntries } from './audit-entry.ts';
import { type CollectionDump, dropAll, dumpAll, isEmpty, loadCollection } from './backup.ts';
import { Credentials } from './credentials.ts';
import { FileLeases } from './file-lease.ts';
import { Games } from './game.ts';
import { IdempotencyRecords } from './idempotency-record.ts';
import { Identities } from './identity.ts';
import { OAuthClients, OAuthRequests } from './oauth/apps.ts';
import { OAuthGrants } from './oauth/grants.ts';
import { OAuthTokens } from './oauth/tokens.ts';
import { Provisioning } from './provisioning/store.ts';
import { UserAccess } from './provisioning/user-access.ts';
import { migrate, readSchema } from './schema-version.ts';
import { Sequences } from './sequence.ts';
import { ServerChanges } from './server-change.ts';
import { ServerWatches } from './server-watch.ts';
import { Sessions } from './session.ts';
import { SignInLinks } from './sign-in-link.ts';
import { StaffTexts } from './staff-texts.ts';
import { Subscriptions } from './subscription.ts';
import { buildIndexes, listIndexes } from './support/indexes.ts';
import { retryOnDuplicateKey } from './support/writes.ts';
import { Tickets } from './ticket/store.ts';
import { Users } from './user.ts';
import { WebhookDeliveries } from './webhook/deliveries.ts';
import { Webhooks } from './webhook/destinations.ts';
import { WebhookEvents } from './webhook/events.ts';
import { Notices } from './webhook/notices.ts';
import { WebhookSecrets } from './webhook/secrets.ts';
import { SweepPositions } from './webhook/sweep-positions.ts';

export type Models = ReturnType<typeof createModels>;

interface ModelsOptions {
  /** Whether other processes may serve on this database. */
  isShared?: boolean;
  /** How the secrets of new API keys begin. */
  keyPrefix?: string;
}

export function createModels(connection: Connection, options: ModelsOptions = {}) {
  const sequences = new Sequences(connection);
  const stores = createUserStores(connection, sequences, options);
  return {
    ...stores,
    announcements: new Announcements(connection, sequences),
    auditEntries: new AuditEntries(connection),
    activityCounts: new ActivityCounts(connection),
    fileLeases: new FileLeases(connection),
    games: new Games(connection),
    serverChanges: new ServerChanges(connection),
    serverWatches: new ServerWatches(connection),
    idempotencyRecords: new IdempotencyRecords(connection, stores.webhookSecrets),
    provisioning: new Provisioning({ connection, sequences, ...stores }),
    tickets: new Tickets(connection, sequences, stores.webhookEvents),
    staffTexts: new StaffTexts(connection),
    /** Records the schema version, or refuses another one. Call it before `ensureIndexes`. */
    migrate: () => migrate(connection),
    readSchema: () => readSchema(connection),
    /** Dumps all collections from one snapshot. */
    dumpAll: (write: (dump: CollectionDump) => Promise<void>) => dumpAll(connection, write),
    /** Loads one collection of a dump; resolves to the number of its documents. */
    loadCollection: (dump: CollectionDump) => loadCollection(connection, dump),
    isEmpty: () => isEmpty(connection),
    dropAll: () => dropAll(connection),
    /** Builds missing indexes; fast when none is missing. */
    ensureIndexes: () => buildIndexes(connection),
    /** Expected and existing indexes. */
    listIndexes: () => listIndexes(connection),
  };
}

/** Users, and what they act with. */
function createUserStores(connection: Connection, sequences: Sequences, options: ModelsOptions) {
  const users = new Users(connection, sequences);
  const apiKeys = new ApiKeys(connection, users, options.keyPrefix);
  const apiKeyQuota = new ApiKeyQuota(connection, apiKeys);
  const stores = {
    users,
    apiKeys,
    apiKeyQuota,
    identities: new Identities(connection),
    ...createOAuthStores(connection, { users, apiKeyQuota }),
    sessions: new Sessions(connection, users),
    signInLinks: new SignInLinks(connection),
    subscriptions: new Subscriptions(connection),
    ...createWebhookStores(connection, { users, apiKeys, quota: apiKeyQuota }, options),
  };
  return {
    ...stores,
    credentials: new Credentials(connection, stores),
    userAccess: new UserAccess(connection, stores),
  };
}

function createOAuthStores(connection: Connection, deps: { users: Users; apiKeyQuota: ApiKeyQuota }) {
  const oauthGrants = new OAuthGrants(connection, deps);
  return {
    oauthClients: new OAuthClients(connection),
    oauthGrants,
    oauthRequests: new OAuthRequests(connection),
    oauthTokens: new OAuthTokens(connection, oauthGrants),
  };
}

function createWebhookStores(
  connection: Connection,
  keys: { users: Users; apiKeys: ApiKeys; quota: ApiKeyQuota },
  options: ModelsOptions,
) {
  const sweepPositions = new SweepPositions(connection);
  const webhookSecrets = new WebhookSecrets(connection);
  const webhookDeliveries = new WebhookDeliveries(connection);
  const webhookEvents = new WebhookEvents(connection, { secrets: webhookSecrets, users: keys.users });
  const outbox = { deliveries: webhookDeliveries, events: webhookEvents };
  const deps = { ...keys, secrets: webhookSecrets, isShared: options.isShared, ...outbox };
  return {
    webhooks: new Webhooks(connection, deps),
    webhookEvents,
    webhookDeliveries,
    sweepPositions,
    webhookSecrets,
    notices: new Notices(connection, webhookEvents),
    /** Runs writes that are stored all or none, such as a change and its events. `run` may be called again. */
    async transaction<Result>(run: (transaction: ClientSession) => Promise<Result>): Promise<Result> {
      const result = await retryOnDuplicateKey(() => connection.transaction(run));
      webhookEvents.announce();
      return result;
    },
  };
}
