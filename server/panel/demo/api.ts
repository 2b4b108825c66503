/**
 * The calls of a panel's API that the service makes, answered as Pterodactyl answers them,
 * and a page at each server's `panel_url` with its state and its last console commands.
 */
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import rawBody from 'raw-body';
import { z } from 'zod';
import type { Clock } from '../../../routers/ports.ts';
import { addBackups } from './backups.ts';
import { DemoError, invalidCommand, invalidSignal, notFound, unauthenticated } from './errors.ts';
import { createFleet, type Fleet } from './fleet.ts';
import { presentResources, presentUser } from './present.ts';
import { demoSignals } from './run-state.ts';
import { demoServers } from './servers.ts';

interface DemoApiOptions {
  clock: Clock;
  applicationKey: string;
  clientKey: string;
}

export function createDemoApi({ clock, applicationKey, clientKey }: DemoApiOptions): Koa {
  const router = new Router();
  addUsers(router, requireKey(applicationKey));
  const fleet = createFleet(clock);
  addServers(router, requireKey(clientKey), fleet);
  addBackups(router, { clock, fleet, requireClientKey: requireKey(clientKey) });
  const app = new Koa();
  app.use(respondWithError);
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
    const isIncluded = String(ctx.query['include'] ?? '').startsWith('servers');
    ctx.body = presentUser(id, isIncluded ? servers : null);
  });
}

function addServers(router: Router, requireClientKey: Middleware, fleet: Fleet) {
  router.get('/api/client/servers/:identifier/resources', requireClientKey, (ctx) => {
    const { server, run } = fleet.findUsable(ctx.params['identifier']);
    ctx.body = presentResources(server, run.state(), run.uptimeMs());
  });
  router.post('/api/client/servers/:identifier/power', requireClientKey, async (ctx) => {
    const { run } = fleet.findUsable(ctx.params['identifier']);
    run.send((await readBody(ctx, PowerBody, invalidSignal)).signal);
    ctx.status = 204;
  });
  router.post('/api/client/servers/:identifier/command', requireClientKey, async (ctx) => {
    const { console } = fleet.findUsable(ctx.params['identifier']);
    console.enter((await readBody(ctx, CommandBody, invalidCommand)).command);
    ctx.status = 204;
  });
  router.get('/server/:identifier', (ctx) => {
    const { server, run, console } = fleet.find(ctx.params['identifier']);
    const title = `${server.name}: ${server.isSuspended ? 'suspended' : run.state()}`;
    ctx.body = [title, ...console.lines.map((line) => `> ${line}`), ''].join('\n');
  });
}

/** As on a real panel, a browser without a session is redirected to the log-in page, and a client gets 401. */
const requireKey =
  (key: string): Middleware =>
  async (ctx, next) => {
    if (ctx.get('Authorization') === `Bearer ${key}`) return next();
    if (ctx.get('Accept').includes('json')) throw unauthenticated();
    ctx.redirect('/auth/login');
  };

const PowerBody = z.object({ signal: z.enum(demoSignals) });
const CommandBody = z.object({ command: z.string().min(1) });

async function readBody<Body>({ req }: Context, shape: z.ZodType<Body>, invalid: () => DemoError) {
  const text = await rawBody(req, { encoding: 'utf8', limit: '16kb' });
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw invalid();
  }
}

const respondWithError: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    ctx.status = error.status;
    ctx.body = error.body;
  }
};
