/** Puts the parts together and keeps them in order: database, panel, app, HTTP; and down again the other way. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createModels } from '../models/index.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { callTimeoutMs, connectMongoose, openDatabase, pingDatabase } from './database.ts';
import { drain } from './drain.ts';
import { type Say, StartError } from './embedded/say.ts';
import { createReadiness } from './health/create-readiness.ts';
import { PanelWatch } from './health/panel-watch.ts';
import { createHttpServer } from './http-server.ts';
import type { Log } from './log.ts';
import { type RunningMetrics, startMetrics } from './metrics/start-metrics.ts';
import { openPanel } from './panel/open.ts';
import { prepareDatabase } from './prepare-database.ts';
import type { SharedRedis } from './redis.ts';
import { type DemoCredentials, seedDemo } from './seed.ts';
import { startTracing } from './tracing/start-tracing.ts';
import type { Tracing } from './tracing/tracing.ts';

export interface Service {
  url: string;
  /** Where Prometheus finds the metrics; null where they are off. */
  metricsUrl: string | null;
  isEmbedded: boolean;
  hasDemoPanel: boolean;
  /** Set at the start that seeded the demo data, and never again. */
  demo: DemoCredentials | null;
  /** Whether the demo data is there, from this start or an earlier one. */
  hasDemoData: boolean;
  stop(): Promise<void>;
}

interface Starter {
  say: Say;
  /** Ends the waiting for what is not there yet; the start then fails with its reason. */
  signal?: AbortSignal;
}

export async function startService(config: Config, log: Log, { say, signal }: Starter): Promise<Service> {
  const clock = Date.now;
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    // First, and so stopped last: the end of a service has its spans too.
    const tracing = await startTracing(config.tracing, log);
    undo.push(async () => tracing?.stop());
    const database = await openDatabase({ ...config, say });
    undo.push(() => database.stop());
    await prepareDatabase(database.uri, { say, signal });
    const { metrics, metricsUrl, ...meter } = await startMetrics(config.metrics);
    undo.push(() => meter.stop());
    const connection = await connect(database.uri, { ...meter, tracing });
    undo.push(() => connection.close());
    const models = createModels(connection);
    const panelWatch = new PanelWatch(metrics?.countPanelCall);
    const watchers = { onOutcome: panelWatch.hear, traceCall: tracing?.traceCall };
    const panel = await openPanel(config.panel, { clock, log, ...watchers });
    undo.push(() => panel.stop());
    const shared = await openShared(config.redisUrl, log);
    undo.push(async () => shared?.stop());
    const readiness = createReadiness({ pingDatabase: () => pingDatabase(connection), shared, panelWatch });
    const parts = { models, panel: panel.panel, clock, log, shared, readiness, metrics, tracing, config };
    const { app, close } = createApp(parts);
    undo.push(close);
    const server = createHttpServer(app.callback());
    const url = await listen(server, config);
    undo.push(() => drain(server, readiness));
    // Last: a start that fails must not have shown its credentials to nobody.
    const demo = config.seedDemo ? await seedDemo(models, new Date(clock())) : null;
    const has = { hasDemoPanel: panel.isDemo, hasDemoData: config.seedDemo };
    return { url, metricsUrl, isEmbedded: database.isEmbedded, ...has, demo, stop };
  } catch (failure) {
    await stop();
    throw failure;
  }
}

/** Nothing of Redis is loaded where none is named. */
async function openShared(redisUrl: string | undefined, log: Log): Promise<SharedRedis | null> {
  if (redisUrl === undefined) return null;
  const { openRedis } = await import('./redis.ts');
  return openRedis(redisUrl, log);
}

interface Watchers extends Pick<RunningMetrics, 'watchPool'> {
  tracing: Tracing | null;
}

const connect = (uri: string, { watchPool, tracing }: Watchers) =>
  connectMongoose(uri, {
    callTimeoutMs,
    monitorCommands: tracing !== null,
    watch: (client) => {
      watchPool(client);
      tracing?.watchCommands(client);
    },
  });

async function listen(server: Server, { host, port, publicUrl }: Config): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EADDRINUSE') throw cause;
    throw new StartError(`Port ${port} of ${host} is taken. Set PORT to another one.`, { cause });
  });
  const address = server.address() as AddressInfo; // a listening TCP server has one
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return publicUrl ?? `http://${shownHost}:${address.port}`;
}
