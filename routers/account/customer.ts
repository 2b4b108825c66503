/** The support desk shows a ticket's customer: whether suspended, servers with their states, keys, subscriptions and tickets. */
import { z } from 'zod';
import { pageSizeMax } from '../../models/bounds.ts';
import { getOwnedServer, listOwnedServers } from '../servers/owned-server.ts';
import { presentResources, ResourcesResult } from '../servers/resources-schema.ts';
import { presentServerDetail, ServerDetailResult, ServerPath } from '../servers/server-schema.ts';
import { getAnyTicket } from '../tickets/conversations.ts';
import { TicketChangeRequest, TicketId } from '../tickets/ticket-schema.ts';
import { router, sessionProcedure } from '../trpc.ts';
import { readUserDetails, UserDetails } from './users.ts';

/** How many servers the desk shows at first. The server that the ticket is about comes first. */
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
    .output(UserDetails)
    .query(async ({ ctx, input: { ticket_id } }) =>
      readUserDetails(ctx, (await getAnyTicket(ctx, ticket_id)).userId),
    ),

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
