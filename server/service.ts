/** Starts the parts of the service in order (tracing, database, panel, app, HTTP), and stops them in reverse order. */
import type { Server } from 'node:http';
import type Koa from 'koa';
import { createModels, type Models } from '../models/index.ts';
import { processLeaseMs } from '../models/process-lease.ts';
import { type AppDeps, createApp } from './app.ts';
import { warnOfMail } from './checks/check-mail.ts';
import { warnOfPublicUrl } from './checks/check-public-url.ts';
import { type Config, localUrlOf } from './config.ts';
import {
  callTimeoutMs,
  connectMongoose,
  type Database,
  openDatabase,
  pingDatabase,
  prepareDatabase,
  readMongodbVersion,
} from './database.ts';
import { type DemoCredentials, demoKeyOf, seedDemo } from './dev/demo-data.ts';
import { Dispatcher } from './events/dispatcher.ts';
import { unlockVault } from './events/unlock.ts';
import { ServerWatch } from './events/watch-servers.ts';
import { listenOn } from './http/listen.ts';
import { createHttpServer, drain } from './http/server.ts';
import { createLimiter } from './limit/limiter.ts';
import { withTimeout } from './limit/with-timeout.ts';
import type { Mailer } from './mail/mailer.ts';
import { createReadiness, PanelHealth } from './observability/health.ts';
import type { Log } from './observability/log.ts';
import { startMetrics } from './observability/metrics/start-metrics.ts';
import type { Tracing } from './observability/tracing/create-tracing.ts';
import { describeOutdated } from './outdated.ts';
import { leasesOf, panelDefaults } from './panel/options.ts';
import { openPanel } from './panel/pterodactyl.ts';
import { type ReportProgress, StartError } from './progress.ts';
import type { SharedRedis } from './redis.ts';
import { Shutdown } from './shutdown.ts';

export interface Service {
  url: string;
  metricsUrl: string | null;
  isEmbedded: boolean;
  hasDemoPanel: boolean;
  /** Null unless this start seeded the demo data. */
  demo: DemoCredentials | null;
  hasDemoData: boolean;
  stop(): Promise<void>;
}

interface StartOptions {
  reportProgress: ReportProgress;
  onDatabaseExit?: () => void;
  /** Ends the wait for MongoDB; the start then fails with the signal's reason. */
  signal?: AbortSignal;
}

type Parts = AppDeps & { mailer: Mailer | null };

const clock = Date.now;

export async function startService(config: Config, log: Log, options: StartOptions): Promise<Service> {
  const shutdown = new Shutdown(log);
  try {
    // Tracing starts first and stops last, so that it also traces the stop of everything else.
    const tracing = await startTracing(config.tracing, log);
    shutdown.add(() => tracing?.stop());
    const database = await openDatabase({ ...config, ...options });
    shutdown.add(() => database.stop());
    await prepareDatabase(database.uri, options);
    const { metrics, metricsUrl, stop: stopMetrics } = await startMetrics(config.metrics);
    shutdown.add(stopMetrics);
    const connection = await connect(database.uri, { metrics, tracing });
    shutdown.add(() => connection.close());
    await warnOfOutdated(log, database.isEmbedded ? null : connection);
    const models = await openModels(connection, database, config);
    shutdown.add(await holdProcessLease(models));
    const health = new PanelHealth(metrics?.countPanelCall);
    const shared = await openShared(config.redisUrl, log);
    shutdown.add(() => shared?.stop());
    const opened = { models, clock, log, shared, metrics, tracing, config };
    const panel = await openWatchedPanel({ ...opened, health });
    shutdown.add(() => panel.stop());
    const readiness = createReadiness({ pingDatabase: pingOf(connection), shared, panel: health });
    const deps = { ...opened, ...panel, readiness, mailer: await openMailer(config, models, log) };
    const { app, close } = createApp(deps);
    shutdown.add(close);
    shutdown.add(startWatch(deps));
    shutdown.add(startSending(deps));
    const { server, url } = await listen(app, config);
    shutdown.add(() => drain(server, readiness));
    shutdown.add(warnOfPublicUrl(config, log));
    // Seeds last, because a failed start must not leave credentials that were never shown.
    const demo = config.seedDemo ? await seed(models, config, new Date(clock())) : null;
    const has = { hasDemoPanel: panel.isDemo, hasDemoData: config.seedDemo, isEmbedded: database.isEmbedded };
    return { url, metricsUrl, ...has, demo, stop: () => shutdown.run() };
  } catch (failure) {
    await shutdown.run().catch(() => {}); // already logged; the operator needs the first error
    throw failure;
  }
}

const pingOf = (connection: Connection) => () => pingDatabase(connection);

const seed = (models: Models, config: Config, now: Date) => seedDemo(models, demoKeyOf(config, now), now);

/** @param connection null for the embedded MongoDB, which answers only local programs that have its password */
async function warnOfOutdated(log: Log, connection: Connection | null): Promise<void> {
  const ofMongodb = connection && describeOutdated('MongoDB', await readMongodbVersion(connection));
  for (const warning of [describeOutdated('Node.js', process.version), ofMongodb])
    if (warning) log.warn(warning);
}

type Connection = Awaited<ReturnType<typeof connect>>;

async function openModels(connection: Connection, { isEmbedded }: Database, config: Config): Promise<Models> {
  const { keyPrefix } = config.brand;
  const leases = leasesOf(panelDefaults);
  const models = createModels(connection, { isShared: !isEmbedded, keyPrefix, leases });
  await unlockVault(models, config);
  // Only the service requires the key: `user reset-factors` must run when the key is lost.
  if (!models.vault.isUnlocked && (await models.secondFactors.has()))
    throw new StartError('SECRETS_KEY is required: second factors are stored');
  return models;
}

const releaseMs = 2000;

/** Lets `restore` see that this process runs. */
async function holdProcessLease({ processLeases }: Models) {
  const lease = processLeases.create();
  let renewal: Promise<unknown>;
  const renew = () => {
    renewal = lease.takeOrRenew().catch(() => {}); // while MongoDB is down, no one can restore either
    return renewal;
  };
  await renew();
  const timer = setInterval(renew, processLeaseMs / 3);
  return async () => {
    clearInterval(timer);
    // If MongoDB is down, the lease stays and expires by itself.
    await withTimeout(
      releaseMs,
      renewal.then(() => lease.release()),
    ).catch(() => {});
  };
}

/** The watch is idle while no webhook subscribes to its events. */
function startWatch({ config, metrics, ...deps }: Parts) {
  const { watchCallsPerMinute: callsPerMinute } = config.webhooks;
  const watch = new ServerWatch({ ...deps, callsPerMinute, onWatch: metrics?.recordWatch }).start();
  return () => watch.stop();
}

type PanelDeps = Omit<Parts, 'panel' | 'readiness' | 'mailer'> & { health: PanelHealth };

const openWatchedPanel = ({ config, models, log, metrics, tracing, shared, health }: PanelDeps) =>
  openPanel(config.panel, {
    clock,
    log,
    limiter: createLimiter({ clock, shared }),
    onOutcome: health.recordOutcome,
    isWorking: health.isWorking,
    onConsoleRead: metrics?.countConsoleRead,
    traceCall: tracing?.tracePanelCall,
    sharedChanges: models.serverChanges,
    findLinked: (panelUserId) => models.users.findByPanelUser(panelUserId),
  });

/** Loads nodemailer only if mail is on. The service starts even if the mail server is down. */
async function openMailer({ mail, supportEmail, brand }: Config, { notices }: Models, log: Log) {
  if (!mail) {
    // Another process may have SMTP_URL and send the mails, so this one does not turn mail off.
    if (await notices.isOn())
      log.warn(
        'SMTP_URL is not set, but mail is on: mails wait for a process that has it; `mail off` turns mail off',
      );
    return null;
  }
  await notices.applySettings(supportEmail ? ['customer', 'host'] : ['customer'], new Date());
  void warnOfMail({ mail, supportEmail, brand }, log);
  const { createMailer } = await import('./mail/mailer.ts');
  return createMailer(mail);
}

function startSending({ models, log, shared, metrics, config, mailer }: Parts) {
  if (!models.events.isOn) return async () => {};
  const onAttempt = (outcome: string, isMail: boolean) => metrics?.countAttempt(outcome, isMail);
  metrics?.watchDeliveries(models.deliveries);
  const limiter = createLimiter({ clock, shared });
  const { name, logo } = config.brand;
  // Mail programs show no SVG.
  const picture = logo?.contentType === 'image/svg+xml' ? null : logo;
  const brand = { name, publicUrl: config.publicUrl ?? localUrlOf(config), logo: picture ?? undefined };
  const mail = mailer && { mailer, brand, supportEmail: config.supportEmail };
  const { webhooks: settings } = config;
  const dispatcher = new Dispatcher({ models, clock, log, limiter, onAttempt, settings, mail });
  return () => dispatcher.stop();
}

async function startTracing(settings: Config['tracing'], log: Log): Promise<Tracing | null> {
  if (!settings) return null;
  const { createTracing } = await import('./observability/tracing/create-tracing.ts');
  return createTracing(settings, log);
}

async function openShared(redisUrl: string | undefined, log: Log): Promise<SharedRedis | null> {
  if (redisUrl === undefined) return null;
  const { openRedis } = await import('./redis.ts');
  return openRedis(redisUrl, log);
}

const connect = (uri: string, { metrics, tracing }: Pick<Parts, 'metrics' | 'tracing'>) =>
  connectMongoose(uri, {
    callTimeoutMs,
    monitorCommands: tracing !== null,
    watch: (client) => {
      metrics?.watchPool(client);
      tracing?.traceCommands(client);
    },
  });

/** How many connections may wait to be accepted. Others are dropped, and their clients retry after one to three seconds. */
const backlog = 2048;

async function listen(app: Koa, { host, port, publicUrl }: Config): Promise<{ server: Server; url: string }> {
  const server = createHttpServer(app.callback());
  const address = await listenOn(server, { port, host, backlog });
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { server, url: publicUrl ?? `http://${shownHost}:${address.port}` };
}
