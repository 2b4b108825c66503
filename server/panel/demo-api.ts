/**
 * The three calls of a panel's API that concern the service, answered as a real Pterodactyl answers them,
 * and at a server's `panel_url` one line that says what the server is doing.
 */
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import rawBody from 'raw-body';
import { z } from 'zod';
import type { Clock } from '../../routers/ports.ts';
import { createFleet, type Fleet } from './demo-fleet.ts';
import { DemoRefusal, invalidSignal, notFound, unauthenticated } from './demo-refusals.ts';
import { demoSignals } from './demo-run-state.ts';
import { demoServers } from './demo-servers.ts';
import { presentResources, presentUser } from './demo-shapes.ts';

interface DemoApiOptions {
  clock: Clock;
  applicationKey: string;
  clientKey: string;
}

export function createDemoApi({ clock, applicationKey, clientKey }: DemoApiOptions): Koa {
  const router = new Router();
  addUsers(router, requireKey(applicationKey));
  addServers(router, requireKey(clientKey), createFleet(clock));
  const app = new Koa();
  app.use(writeRefusals);
  app.use(router.routes());
  app.use(() => {
    throw notFound();
  });
  return app;
}

function addUsers(router: Router, requireApplicationKey: Middleware) {
  router.get('/api/application/users/:id', requireApplicationKey, (ctx) => {
    const id = Number(ctx.params['id']);
    const servers = demoServers.filter(({ userId }) => userId === id);
    if (servers.length === 0) throw notFound();
    ctx.body = presentUser(id, ctx.query['include'] === 'servers' ? servers : null);
  });
}

function addServers(router: Router, requireClientKey: Middleware, fleet: Fleet) {
  router.get('/api/client/servers/:identifier/resources', requireClientKey, (ctx) => {
    const { server, run } = fleet.findUsable(ctx.params['identifier']);
    ctx.body = presentResources(server, run.state(), run.uptimeMs());
  });
  router.post('/api/client/servers/:identifier/power', requireClientKey, async (ctx) => {
    const { run } = fleet.findUsable(ctx.params['identifier']);
    run.take(await readSignal(ctx));
    ctx.status = 204;
  });
  router.get('/server/:identifier', (ctx) => {
    const { server, run } = fleet.find(ctx.params['identifier']);
    ctx.body = `${server.name}: ${server.isSuspended ? 'suspended' : run.state()}\n`;
  });
}

/** Like the real one, it sends a browser without a session to the log-in page, and a program a 401. */
const requireKey =
  (key: string): Middleware =>
  async (ctx, next) => {
    if (ctx.get('Authorization') === `Bearer ${key}`) return next();
    if (ctx.get('Accept').includes('json')) throw unauthenticated();
    ctx.redirect('/auth/login');
  };

const PowerBody = z.object({ signal: z.enum(demoSignals) });

async function readSignal(ctx: Context) {
  const text = await rawBody(ctx.req, { encoding: 'utf8', limit: '16kb' });
  try {
    return PowerBody.parse(JSON.parse(text)).signal;
  } catch {
    throw invalidSignal();
  }
}

const writeRefusals: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof DemoRefusal)) throw error;
    ctx.status = error.status;
    ctx.body = error.body;
  }
};
