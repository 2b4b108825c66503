/** Commands to the consoles of the key owner's game servers, where the operator has turned them on. */
import { badRequest } from './errors.ts';
import { getOwnedServer } from './owned-server.ts';
import { CommandRequest, CommandResult } from './schemas/console.ts';
import { serverRefusals } from './schemas/server.ts';
import { endpoint, router } from './trpc.ts';

export const consoleRouter = router({
  send: endpoint({
    scope: 'write:console',
    status: 202,
    openapi: {
      method: 'POST',
      path: '/servers/{server_identifier}/command',
      tags: ['Servers'],
      summary: 'Send a console command to a server',
      description:
        "Sends one line to the console of one of the key owner's servers, with full console privileges: it can stop the server, ban players or delete worlds. 202 means that the panel accepted it; the output is shown only in the panel.",
    },
    refusals: {
      ...serverRefusals,
      bad_request: 'The server is not running, or the command is not a single line.',
    },
    tool: {
      name: 'send_console_command',
      title: 'Send a console command to a server',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: true,
      hint: 'Call get_server_resources first, as a stopped server takes no command; and create_server_backup before a command that deletes or overwrites something.',
    },
  })
    .input(CommandRequest)
    .output(CommandResult)
    .mutation(async ({ ctx, input: { server_identifier, command } }) => {
      const { identifier } = await getOwnedServer(ctx, server_identifier, 'action');
      // Pelican accepts a command for a stopped server, and drops it.
      const { state } = await ctx.panel.getResources(identifier, ctx.requestId, 'action');
      if (state === 'offline') throw badRequest('The server is not running');
      await ctx.panel.sendCommand(identifier, command, ctx.requestId);
      return { server: identifier, command, status: 'accepted' };
    }),
});
