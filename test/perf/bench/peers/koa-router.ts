/** The endpoints of the Koa peer. */
import Router from '@koa/router';
import getRawBody from 'raw-body';
import { z } from 'zod';
import type { KoaMiddleware, KoaState } from './koa-app.ts';
import type { PanelClient } from './panel-client.ts';
import { presentCreated, presentGame, presentMe, presentTicket } from './present.ts';
import { Refusal, refusals } from './refusal.ts';
import type { Store } from './store.ts';

interface Parts {
  store: Store;
  panel: PanelClient;
}

type Context = Parameters<KoaMiddleware>[0];

export function createKoaRouter(parts: Parts): KoaMiddleware {
  const router = new Router<KoaState>({ prefix: '/api/v1' });
  addReads(router, parts);
  addWrites(router, parts);
  addPower(router, parts);
  return router.routes() as KoaMiddleware; // the router adds fields of its own to the context
}

function addReads(router: Router<KoaState>, { store }: Parts): void {
  router.get('/catalog/games', requireScope('catalog.listGames', 'read:catalog'), async (ctx) => {
    ctx.body = { games: (await store.listGames()).map(presentGame) };
  });
  router.get('/me', requireScope('account.me', 'read:account'), async (ctx) => {
    const user = await store.findUser(ctx.state.owner.userId);
    if (!user) throw refusals.notFound('User');
    ctx.body = { user: presentMe(user) };
  });
  router.get('/tickets', requireScope('tickets.list', 'read:account'), async (ctx) => {
    ctx.body = { tickets: (await store.listTickets(ctx.state.owner.userId)).map(presentTicket) };
  });
}

const filled = (maxLength: number) => z.string().max(maxLength).regex(/\S/);
const serviceText = z.string().max(200).nullable().default(null);
const NewTicket = z.strictObject({
  title: filled(200),
  message: filled(10_000),
  service_name: serviceText,
  service_reference: serviceText,
  service_type: serviceText,
});
const Reply = z.strictObject({ message: filled(10_000) });
const Power = z.strictObject({ signal: z.enum(['start', 'stop', 'restart']) });

function addWrites(router: Router<KoaState>, { store }: Parts): void {
  router.post('/tickets', requireScope('tickets.create', 'write:tickets'), async (ctx) => {
    const { title, message, ...service } = await readBody(ctx, NewTicket);
    const ticket = await store.openTicket({
      userId: ctx.state.owner.userId,
      keyId: ctx.state.owner.keyId,
      subject: title,
      text: message,
      serviceName: service.service_name,
      serviceReference: service.service_reference,
      serviceType: service.service_type,
      now: new Date(),
    });
    ctx.status = 201;
    ctx.body = { ticket: presentCreated(ticket) };
  });
  router.post('/tickets/:ticket_id/reply', requireScope('tickets.reply', 'write:tickets'), async (ctx) => {
    const { userId, keyId } = ctx.state.owner;
    const { message } = await readBody(ctx, Reply);
    const ticketId = Number(ctx.params['ticket_id']);
    const outcome = await store.reply({ ticketId, userId, keyId, text: message, now: new Date() });
    if (outcome === 'not_found') throw refusals.notFound('Ticket');
    if (outcome !== 'replied') throw refusals.closed();
    ctx.status = 201;
    ctx.body = { ticket_id: ticketId, status: 'Active' };
  });
}

function addPower(router: Router<KoaState>, { store, panel }: Parts): void {
  router.post(
    '/servers/:server_identifier/power',
    requireScope('servers.power', 'write:servers'),
    async (ctx) => {
      const { signal } = await readBody(ctx, Power);
      const server = ctx.params['server_identifier'] ?? '';
      const { owner, requestId } = ctx.state;
      const { panelUserId = null } = (await store.findUser(owner.userId)) ?? {};
      if (panelUserId === null || !(await panel.owns(panelUserId, server, requestId)))
        throw refusals.notFound('Server');
      await panel.sendPower(server, signal, requestId);
      ctx.status = 202;
      ctx.body = { server, signal, status: 'accepted' };
    },
  );
}

const requireScope =
  (operation: string, scope: string): KoaMiddleware =>
  async (ctx, next) => {
    ctx.state.operation = operation;
    if (!ctx.state.owner.scopes.includes(scope)) throw refusals.scope(scope);
    await next();
  };

async function readBody<Body>({ req }: Pick<Context, 'req'>, shape: z.ZodType<Body>): Promise<Body> {
  const parsed = shape.safeParse(JSON.parse(await getRawBody(req, { encoding: 'utf8', limit: '256kb' })));
  if (parsed.success) return parsed.data;
  throw new Refusal(400, 'bad_request', parsed.error.issues[0]?.message ?? 'The request is not valid');
}
