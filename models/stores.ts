/** Creates the store of each noun on one connection. */
import type { ClientSession, Connection } from 'mongoose';
import { ActivityCounts } from './activity-count.ts';
import { Announcements } from './announcement.ts';
import { ApiKeys } from './api-key/store.ts';
import { AuditEntries } from './audit-entry.ts';
import { FileLeases } from './file-lease.ts';
import { Games } from './game.ts';
import { IdempotencyRecords } from './idempotency-record.ts';
import { Identities } from './identity.ts';
import { OAuthClients, OAuthRequests } from './oauth/apps.ts';
import { OAuthGrants } from './oauth/grants.ts';
import { OAuthTokens } from './oauth/tokens.ts';
import { Deliveries } from './outbox/deliveries.ts';
import { Destinations } from './outbox/destinations.ts';
import { Events } from './outbox/events.ts';
import { Notices } from './outbox/notices.ts';
import { Webhooks } from './outbox/webhooks.ts';
import { ProcessLeases } from './process-lease.ts';
import { SecondFactors } from './second-factor.ts';
import type { Sequences } from './sequence.ts';
import { ServerChanges } from './server-change.ts';
import { ServerWatches } from './server-watch.ts';
import { Sessions } from './session.ts';
import { SharedState } from './shared-state.ts';
import { SignInLinks } from './sign-in-link.ts';
import { StaffTexts } from './staff-texts.ts';
import { Subscriptions } from './subscription.ts';
import { runTransaction } from './support/transaction.ts';
import { Tickets } from './ticket/store.ts';
import { Users } from './user.ts';
import { Vault } from './vault.ts';

export type Stores = ReturnType<typeof createStores>;

export interface StoresOptions {
  /** Whether other processes may serve on this database. */
  isShared?: boolean;
  keyPrefix?: string;
  /** Derived from the panel's settings if the process calls a panel. */
  leases?: Leases;
}

/** How long others wait for a holder that may have died: longer than its call can take. */
export interface Leases {
  /** Writes under an idempotency key. */
  claimMs: number;
  /** Writes to a file, and to a server's schedules. */
  fileMs: number;
}

/** For processes that call no panel. */
const shortLeases: Leases = { claimMs: 45_000, fileMs: 45_000 };

export function createStores(connection: Connection, sequences: Sequences, options: StoresOptions) {
  const users = new Users(connection, sequences);
  const apiKeys = new ApiKeys(connection, users, options.keyPrefix);
  const oauthGrants = new OAuthGrants(connection, users, apiKeys);
  const sharedState = new SharedState(connection);
  const vault = new Vault(sharedState);
  const outbox = createOutbox(connection, { users, apiKeys, sharedState, vault }, options);
  const { events } = outbox;
  const { leases = shortLeases } = options;
  return {
    users,
    apiKeys,
    identities: new Identities(connection, users, apiKeys),
    oauthClients: new OAuthClients(connection),
    oauthGrants,
    oauthRequests: new OAuthRequests(connection),
    oauthTokens: new OAuthTokens(connection, oauthGrants),
    secondFactors: new SecondFactors(connection, { users, events }),
    sessions: new Sessions(connection, users),
    signInLinks: new SignInLinks(connection),
    subscriptions: new Subscriptions(connection, apiKeys),
    vault,
    sharedState,
    ...outbox,
    announcements: new Announcements(connection, sequences),
    auditEntries: new AuditEntries(connection),
    activityCounts: new ActivityCounts(connection),
    fileLeases: new FileLeases(connection, leases.fileMs),
    games: new Games(connection),
    processLeases: new ProcessLeases(connection),
    serverChanges: new ServerChanges(connection),
    serverWatches: new ServerWatches(connection),
    idempotencyRecords: new IdempotencyRecords(connection, vault, leases.claimMs),
    tickets: new Tickets(connection, sequences, events),
    staffTexts: new StaffTexts(connection),
    transaction: createTransaction(connection, events),
  };
}

type OutboxDeps = { users: Users; apiKeys: ApiKeys; sharedState: SharedState; vault: Vault };

function createOutbox(
  connection: Connection,
  { sharedState, ...deps }: OutboxDeps,
  { isShared }: StoresOptions,
) {
  const deliveries = new Deliveries(connection);
  const destinations = new Destinations(connection, isShared);
  const events = new Events(connection, deps);
  return {
    events,
    deliveries,
    destinations,
    webhooks: new Webhooks(connection, { ...deps, destinations, deliveries, events }),
    notices: new Notices({ destinations, deliveries, events, sharedState }),
  };
}

/** Runs a transaction, then notifies the dispatcher, because there may be new events. `run` may be called several times. */
const createTransaction = (connection: Connection, events: Events) =>
  async function transaction<Result>(
    run: (session: ClientSession) => Promise<Result>,
    joined?: ClientSession,
  ): Promise<Result> {
    if (joined) return run(joined);
    const result = await runTransaction(connection, run);
    events.notifyDispatcher();
    return result;
  };
