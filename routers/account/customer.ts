/** The support desk shows a ticket's customer: servers with their states, subscriptions and other tickets. */
import { z } from 'zod';
import { pageSizeMax } from '../../models/bounds.ts';
import { presentSubscription, Subscription } from '../schemas/subscription.ts';
import { getOwnedServer, listOwnedServers } from '../servers/owned-server.ts';
import { presentResources, ResourcesResult } from '../servers/resources-schema.ts';
import { presentServerDetail, ServerDetailResult, ServerPath } from '../servers/server-schema.ts';
import { presentTicketDetail, TicketDetail } from '../tickets/conversation-schema.ts';
import { getAnyTicket } from '../tickets/conversations.ts';
import { TicketChangeRequest, TicketId } from '../tickets/ticket-schema.ts';
import { router, sessionProcedure } from '../trpc.ts';

/** How many servers and other tickets the desk shows at first. The server that the ticket is about comes first. */
const firstCount = 10;

const CustomerServer = z.object({
  identifier: z.string(),
  name: z.string(),
  is_suspended: z.boolean(),
  state: z.string().nullable().describe(`Null after the first ${pageSizeMax} servers.`),
  reason: z.string().nullable(),
});

const staffProcedure = sessionProcedure.meta({ adminScope: 'admin:tickets' });

export const accountCustomerRouter = router({
  get: staffProcedure
    .input(TicketChangeRequest)
    .output(z.object({ subscriptions: z.array(Subscription), other_tickets: z.array(TicketDetail) }))
    .query(async ({ ctx, input: { ticket_id } }) => {
      const { models } = ctx;
      const { userId } = await getAnyTicket(ctx, ticket_id);
      const [subscriptions, tickets] = await Promise.all([
        models.subscriptions.list(userId),
        models.tickets.searchDetails({ userId, limit: firstCount + 1 }),
      ]);
      const others = tickets.filter(({ _id }) => _id !== ticket_id).slice(0, firstCount);
      return {
        subscriptions: subscriptions.map(presentSubscription),
        other_tickets: others.map(presentTicketDetail),
      };
    }),

  servers: staffProcedure
    .meta({ slot: 'panel' })
    .input(
      TicketChangeRequest.extend({
        all: z
          .boolean()
          .default(false)
          .describe(`Whether to show all servers, not only the first ${firstCount}.`),
      }),
    )
    .output(z.object({ servers: z.array(CustomerServer), total: z.int() }))
    .query(async ({ ctx, input: { ticket_id, all } }) => {
      const { panel, requestId } = ctx;
      const { userId, serviceReference } = await getAnyTicket(ctx, ticket_id);
      const owned = await listOwnedServers({ ...ctx, caller: { userId } }, 'list');
      const isOfTicket = ({ identifier }: (typeof owned)[number]) => identifier === serviceReference;
      const ordered = owned.toSorted((a, b) => Number(isOfTicket(b)) - Number(isOfTicket(a)));
      const servers = all ? ordered : ordered.slice(0, firstCount);
      const states = await panel.getStates(servers.slice(0, pageSizeMax), requestId);
      const presentCustomerServer = (
        { identifier, name, isSuspended }: (typeof servers)[number],
        index: number,
      ) => ({
        identifier,
        name,
        is_suspended: isSuspended,
        state: states[index]?.state ?? null,
        reason: states[index]?.reason ?? null,
      });
      return { servers: servers.map(presentCustomerServer), total: owned.length };
    }),

  resources: staffProcedure
    .meta({ slot: 'panel' })
    .input(ServerPath.extend({ ticket_id: TicketId }))
    .output(ResourcesResult.extend({ limits: ServerDetailResult.shape.server.shape.limits }))
    .query(async ({ ctx, input: { ticket_id, server_identifier } }) => {
      const { userId } = await getAnyTicket(ctx, ticket_id);
      const server = await getOwnedServer({ ...ctx, caller: { userId } }, server_identifier, 'ownership');
      const { limits } = presentServerDetail(server).server;
      return { ...presentResources(await ctx.panel.getResources(server, ctx.requestId)), limits };
    }),
});
