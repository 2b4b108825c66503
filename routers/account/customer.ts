/** What the support desk shows beside a ticket: its customer's servers with their states, subscriptions and other tickets. */
import { z } from 'zod';
import type { SessionContext } from '../context.ts';
import { getTicketOwner } from '../conversations.ts';
import { staffOnly } from '../errors.ts';
import { asOwner, listOwnedServers } from '../owned-server.ts';
import { presentTicketDetail, TicketDetail } from '../schemas/conversation.ts';
import { presentSubscription, Subscription } from '../schemas/subscription.ts';
import { TicketChangeRequest } from '../schemas/ticket.ts';
import { isStaff } from '../scopes.ts';
import { router, sessionProcedure } from '../trpc.ts';

const otherTicketsMax = 10;
/** Of how many servers the state is shown. */
const statesMax = 100;

const CustomerServer = z.object({
  identifier: z.string(),
  name: z.string(),
  is_suspended: z.boolean(),
  state: z.string().nullable().describe('null beyond the first servers.'),
  reason: z.string().nullable(),
});

export const accountCustomerRouter = router({
  get: sessionProcedure
    .meta({ auditsOwner: true })
    .input(TicketChangeRequest)
    .output(z.object({ subscriptions: z.array(Subscription), other_tickets: z.array(TicketDetail) }))
    .query(async ({ ctx, input: { ticket_id } }) => {
      const { models } = ctx;
      const userId = await getCustomerId(ctx, ticket_id);
      const [subscriptions, tickets] = await Promise.all([
        models.subscriptions.list(userId),
        models.tickets.searchDetails({ userId, limit: otherTicketsMax + 1 }),
      ]);
      const others = tickets.filter(({ _id }) => _id !== ticket_id).slice(0, otherTicketsMax);
      return {
        subscriptions: subscriptions.map(presentSubscription),
        other_tickets: others.map(presentTicketDetail),
      };
    }),

  servers: sessionProcedure
    .meta({ auditsOwner: true, slot: 'panel' })
    .input(TicketChangeRequest)
    .output(z.object({ servers: z.array(CustomerServer) }))
    .query(async ({ ctx, input: { ticket_id } }) => {
      const { panel, requestId } = ctx;
      const userId = await getCustomerId(ctx, ticket_id);
      const servers = await listOwnedServers(asOwner(ctx, userId), 'list');
      const states = await panel.getStates(servers.slice(0, statesMax), requestId);
      const present = ({ identifier, name, isSuspended }: (typeof servers)[number], index: number) => ({
        ...{ identifier, name, is_suspended: isSuspended },
        ...{ state: states[index]?.state ?? null, reason: states[index]?.reason ?? null },
      });
      return { servers: servers.map(present) };
    }),
});

/** @throws not_found, or insufficient_scope for who is not of the staff */
async function getCustomerId(ctx: SessionContext, ticketId: number): Promise<number> {
  if (!isStaff(ctx.session.user)) throw staffOnly();
  return getTicketOwner(ctx, ticketId);
}
