/** The key owner's game servers, live from the panel, and the power signals one may send them. */
import { z } from 'zod';
import type { Context } from './context.ts';
import { notFound } from './errors.ts';
import { Nothing } from './shapes/nothing.ts';
import { PowerRequest, PowerResult, presentPower, presentServer, Server } from './shapes/server.ts';
import { Summary } from './shapes/summary.ts';
import { endpoint, readHints, router } from './trpc.ts';

export const serversRouter = router({
  list: endpoint({
    scope: 'read:account',
    status: 200,
    openapi: {
      method: 'GET',
      path: '/servers',
      tags: ['Servers'],
      summary: 'List my servers',
      description: "Lists the key owner's game servers as the provisioning panel has them now.",
    },
    refusals: {
      upstream_error: {
        when: 'The provisioning panel failed or did not answer.',
        message: 'The panel is busy; try again later',
      },
    },
    tool: { name: 'list_my_servers', title: 'List my servers', ...readHints },
  })
    .input(Nothing)
    .output(z.object({ servers: z.array(Server), summary: Summary }))
    .query(async ({ ctx }) => {
      const servers = await listOwnedServers(ctx, ctx.caller.userId);
      return {
        servers: servers.map((server) => presentServer(server, ctx.panel.kind)),
        summary: { total: servers.length },
      };
    }),

  power: endpoint({
    scope: 'write:servers',
    status: 202,
    openapi: {
      method: 'POST',
      path: '/servers/{server_identifier}/power',
      tags: ['Servers'],
      summary: 'Start, stop or restart a server',
      description:
        "Sends a power signal to one of the key owner's servers. 202 means that the panel accepted the signal; kill is not permitted.",
    },
    refusals: {
      bad_request: 'The signal is not start, stop or restart.',
      not_found: {
        when: 'There is no such server, or it belongs to somebody else.',
        message: 'Server not found',
      },
      upstream_error: {
        when: 'The panel refused the signal or is unavailable.',
        message: 'The panel is busy; try again later',
      },
    },
    tool: {
      name: 'set_server_power',
      title: 'Start, stop or restart a server',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
    },
  })
    .input(PowerRequest)
    .output(PowerResult)
    .mutation(async ({ ctx, input: { server_identifier, signal } }) => {
      const owned = await listOwnedServers(ctx, ctx.caller.userId);
      if (!owned.some(({ identifier }) => identifier === server_identifier)) throw notFound('Server');
      await ctx.panel.sendPower(server_identifier, signal, ctx.requestId);
      return presentPower(server_identifier, signal);
    }),
});

async function listOwnedServers({ models, panel, requestId }: Context, userId: number) {
  const owner = await models.users.find(userId);
  if (owner?.panelUserId == null) return [];
  return panel.listServers(owner.panelUserId, requestId);
}
