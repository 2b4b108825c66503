/** The service under test: over HTTP, with a real MongoDB and limiter, a stand-in panel and an adjustable clock. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { AnyRouter } from '@trpc/server';
import type { Connection } from 'mongoose';
import { createModels, type Models } from '../../models/index.ts';
import type { NewUser, UserRecord } from '../../models/user.ts';
import { appRouter } from '../../routers/index.ts';
import { type Scope, scopes } from '../../routers/scopes.ts';
import { createApp } from '../../server/app.ts';
import { type Config, readConfig } from '../../server/config.ts';
import { connectMongoose, pingDatabase } from '../../server/database.ts';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { createHttpServer } from '../../server/http/server.ts';
import type { Fetch } from '../../server/oauth/client-metadata.ts';
import { createReadiness, PanelHealth } from '../../server/observability/health.ts';
import { createLog } from '../../server/observability/log.ts';
import { Metrics } from '../../server/observability/metrics/metrics.ts';
import {
  leasesOf,
  type PanelTunables,
  type PterodactylPanelOptions,
  panelDefaults,
} from '../../server/panel/options.ts';
import { createPterodactylPanel } from '../../server/panel/pterodactyl.ts';
import type { SharedRedis } from '../../server/redis.ts';
import { returnIndexedDatabase, takeIndexedDatabase } from './mongo.ts';
import { runWatch, watchIssued } from './run-watch.ts';
import { startStandInPanel } from './stand-in-panel.ts';
import { useStarted } from './use-started.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON body, untyped for tests. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape it expects
  body: any;
}

export interface CallOptions {
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export type TestService = Awaited<ReturnType<typeof startTestService>>;

interface Options {
  rateLimitPerMinute?: number;
  router?: AnyRouter;
  /** At info there is a line for each request. */
  logLevel?: 'info' | 'warn';
  config?: Partial<Config>;
  dialect?: 'pterodactyl' | 'pelican';
  /** Serves under its own address as PUBLIC_URL, which makes it an authorization server. */
  hasApps?: boolean;
  /** How metadata documents of apps are fetched; null: as in production. */
  fetchDocument?: Fetch | null;
  databaseUri?: string;
  /** Whether other processes may use the database: then a new subscription waits until they know it. */
  isShared?: boolean;
  /** Shorter times for calls of the panel, or another panel than the service's own. */
  panel?: Partial<PanelTunables & Pick<PterodactylPanelOptions, 'url' | 'applicationKey' | 'clientKey'>>;
  /** Where limits are counted; by default in memory. */
  shared?: SharedRedis | null;
}

/** Starts a service on its own database; call `stop()` in `after`. */
export async function startTestService({
  rateLimitPerMinute = 120,
  router = appRouter,
  logLevel = 'warn',
  config,
  dialect,
  hasApps = false,
  fetchDocument = null,
  databaseUri: sharedUri,
  isShared = false,
  panel: tunables,
  shared = null,
}: Options = {}) {
  const port = hasApps ? await findFreePort() : 0;
  const databaseUri = sharedUri ?? (await takeIndexedDatabase());
  const connection = await connectMongoose(databaseUri);
  const models = createModels(connection, { isShared, leases: leasesOf({ ...panelDefaults, ...tunables }) });
  if (sharedUri) await models.ensureCollections();
  if (config?.hasWebhooks !== false) await models.vault.unlock([webhookKey]);
  const clock = createTestClock();
  watchIssued(models);
  const logLines: string[] = [];
  const scan = runWatch.scanner('the log of a service');
  const write = (line: string) => {
    logLines.push(line);
    scan(line);
  };
  const log = createLog(logLevel, { write });
  const standIn = await startStandInPanel(dialect);
  standIn.useClock(clock.now);
  const metrics = new Metrics();
  const panelHealth = new PanelHealth(metrics.countPanelCall);
  const panel = createPterodactylPanel({
    // Unlimited callers also have no limited share of the panel, unless a test sets one.
    ...{ ...standIn, ...(rateLimitPerMinute > 120 && unlimited), ...tunables },
    ...{ kind: 'pterodactyl', clock: clock.now, log, onOutcome: panelHealth.recordOutcome },
    onConsoleRead: metrics.countConsoleRead,
    sharedChanges: isShared ? models.serverChanges : undefined,
    findLinked: (panelUserId) => models.users.findByPanelUser(panelUserId),
  });
  const pingOwn = () => pingDatabase(connection);
  const readiness = createReadiness({ pingDatabase: pingOwn, shared, panel: panelHealth });
  const { app, operations, close } = createApp({
    ...{ models, panel, log, shared, readiness, metrics, router, fetchDocument },
    ...{ clock: clock.now, tracing: null },
    config: {
      ...readConfig({}),
      rateLimitPerMinute,
      addressLimitPerMinute: 0,
      inFlightMax: 10_000,
      ticketsPerDay: null,
      admitsLoopbackPages: false,
      publicUrl: hasApps ? `http://127.0.0.1:${port}` : undefined,
      hasConsoleCommands: true,
      ...config,
    },
  });
  const server = createHttpServer(app.callback()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stopServing = async () => {
    server.close();
    server.closeAllConnections();
    await close();
    await standIn.stop();
  };
  return {
    url,
    rows: operations,
    models,
    connection,
    databaseUri,
    clock,
    panel: standIn,
    readiness,
    metrics,
    logLines,
    flushAudit: close,
    ...createFactories({ models, connection }, clock.now),
    call: createCall(`${url}/api/v1`),
    /** The same, for paths outside the REST API. */
    callAt: createCall(url),
    /** Stops this process and leaves the database to another one. */
    async leave() {
      await stopServing();
      await connection.close();
    },
    async stop() {
      await stopServing();
      if (sharedUri) await connection.dropDatabase();
      else await returnIndexedDatabase(connection, databaseUri);
      await connection.close();
    },
  };
}

/** A service for the tests of a `describe`. */
export const useService = (options?: Options): TestService => useStarted(() => startTestService(options));

const unlimited = { callsPerCustomer: 0, pullsPerCustomer: 1_000_000 };

export const webhookKey = Buffer.alloc(32, 'webhooks');

/** Real time plus the time that a test adds. */
function createTestClock() {
  let aheadMs = 0;
  return {
    now: () => Date.now() + aheadMs,
    advance: (ms: number) => {
      aheadMs += ms;
    },
  };
}

/** The hash of "correct horse", cheap to verify: the real cost would dominate the time of the tests. */
const passwordHash =
  '$argon2id$v=19$m=8,t=1,p=1$zo4rDEcx7wu6ZTjePah4dg$adl3JBHYKCmyq3tKW/xG5mBgDUrrrk5ZF539D2NWHsI';

export function createFactories(
  { models, connection }: { models: Models; connection: Connection },
  now: () => number,
) {
  let count = 0;
  /** Adds a user, by default with the password "correct horse". Takes the panel user from any user of an earlier test. */
  const addUser = async (profile: Partial<NewUser> = {}): Promise<UserRecord> => {
    count += 1;
    const email = `user${count}@example.com`;
    const { panelUserId = null } = profile;
    if (panelUserId !== null)
      await connection.collection('users').updateOne({ panelUserId }, { $set: { panelUserId: null } });
    const user = await models.users.add({ email, ...profile }, new Date(now()));
    if (!user) throw new Error('the e-mail address is taken');
    if ('password' in profile) return user;
    await connection.collection<UserRecord>('users').updateOne({ _id: user._id }, { $set: { passwordHash } });
    return { ...user, passwordHash };
  };
  /** Adds a key, by default with all scopes and of a new user. */
  const addKey = async (
    options: { user?: UserRecord; scopes?: readonly Scope[]; expiresAt?: Date | null } = {},
  ) => {
    const user = options.user ?? (await addUser());
    const newKey = { name: 'test', scopes: options.scopes ?? scopes, expiresAt: options.expiresAt ?? null };
    const { key, secret } = await models.apiKeys.issue({ ...newKey, userId: user._id }, new Date(now()));
    return { user, key, secret };
  };
  return { addUser, addKey };
}

/** Calls the API: `call('POST', '/tickets', { key, body })`. */
const createCall =
  (base: string) =>
  async (method: string, path: string, { key, body, headers = {} }: CallOptions = {}): Promise<Answer> => {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  };
