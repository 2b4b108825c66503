/** Puts the parts together and keeps them in order: database, panel, app, HTTP; and down again the other way. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createModels } from '../models/index.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { connectMongoose, openDatabase } from './database.ts';
import { createHttpServer } from './http-server.ts';
import type { Log } from './log.ts';
import { openPanel } from './panel/open.ts';
import { openRedis } from './redis.ts';
import { type DemoCredentials, seedDemo } from './seed.ts';

export interface Service {
  url: string;
  isEmbedded: boolean;
  hasDemoPanel: boolean;
  /** Set at the start that seeded the demo data, and never again. */
  demo: DemoCredentials | null;
  stop(): Promise<void>;
}

/** How long requests under way may take to end once the service stops. */
const drainMs = 10_000;

export async function startService(config: Config, log: Log, say: (line: string) => void): Promise<Service> {
  const clock = Date.now;
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const database = await openDatabase({ ...config, say });
    undo.push(() => database.stop());
    const connection = await connectMongoose(database.uri);
    undo.push(() => connection.close());
    const models = createModels(connection);
    await models.ensureIndexes();
    const demo = config.seedDemo ? await seedDemo(models, new Date(clock())) : null;
    const panel = await openPanel(config.panel, { clock, log });
    undo.push(() => panel.stop());
    const shared = config.redisUrl === undefined ? null : await openRedis(config.redisUrl, log);
    undo.push(async () => shared?.stop());
    const { app, close } = createApp({ models, panel: panel.panel, clock, log, shared, config });
    undo.push(close);
    const server = createHttpServer(app.callback());
    const url = await listen(server, config);
    undo.push(() => drain(server));
    return { url, isEmbedded: database.isEmbedded, hasDemoPanel: panel.isDemo, demo, stop };
  } catch (failure) {
    await stop();
    throw failure;
  }
}

async function listen(server: Server, { host, port, publicUrl }: Config): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo; // a listening TCP server has one
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return publicUrl ?? `http://${shownHost}:${address.port}`;
}

/** Takes no more connections and lets the requests under way end; those that will not are cut off. */
async function drain(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(cut);
}
