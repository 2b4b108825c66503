/**
 * `ticket`: close and archive. Open tickets can be closed, open and closed ones archived; an archived ticket stays so.
 * Asking for the state a ticket has already is no error and changes nothing.
 */
import type { Command } from 'commander';
import { z } from 'zod';
import { presentTicket } from '../../routers/shapes/ticket.ts';
import { PositiveInteger } from './options.ts';
import { addVerb, CommandError, type Report, verb } from './verb.ts';
import { withModels } from './with-models.ts';

export function addTicketCommands(program: Command): void {
  const ticket = program.command('ticket').description("Customers' support tickets");
  addVerb(ticket, 'close', {
    summary: 'Close an open ticket: it takes no more replies; an archived one cannot be closed',
    example: 'ticket close 7',
  })
    .argument('<id>', 'the id of the ticket')
    .action(verb(Options, ({ id }) => move(id, 'Closed')));
  addVerb(ticket, 'archive', {
    summary: 'Archive an open or closed ticket for good: it takes no more replies',
    example: 'ticket archive 7',
  })
    .argument('<id>', 'the id of the ticket')
    .action(verb(Options, ({ id }) => move(id, 'Archived')));
}

const Options = z.object({ id: PositiveInteger });

const move = (id: number, status: 'Closed' | 'Archived') =>
  withModels(async (models): Promise<Report> => {
    const outcome = await models.tickets.setStatus(id, status, new Date());
    if (!outcome) throw new CommandError(`there is no ticket ${id}`);
    const { ticket, hasChanged } = outcome;
    if (ticket.status !== status) throw new CommandError(`ticket ${id} is ${ticket.status} and stays so`);
    return {
      json: presentTicket(ticket),
      text: `Ticket ${id} ${hasChanged ? 'is now' : 'was already'} ${status}.`,
    };
  });
