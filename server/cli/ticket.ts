/** `ticket`: list, show, answer, close and archive. An archived ticket stays archived. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { Models } from '../../models/index.ts';
import { ticketAuthors, ticketStatuses } from '../../models/ticket/schema.ts';
import { answerTicket, presentAdminTickets } from '../../routers/conversations.ts';
import { ApiError } from '../../routers/errors.ts';
import { presentTicket } from '../../routers/schemas/ticket.ts';
import { Email, MessageText, PositiveInteger } from './options.ts';
import { table } from './table.ts';
import { formatConversation, readConversation } from './ticket-conversation.ts';
import { addVerb, CommandError, type Report, verb } from './verb.ts';
import { getUser, withModels } from './with-models.ts';

const idText = 'the id of the ticket';
const limitMax = 200;

export function addTicketCommands(program: Command): void {
  const ticket = program.command('ticket').description("Customers' support tickets");
  addReadCommands(ticket);
  addVerb(ticket, 'answer', {
    summary: 'Answer an open ticket as a member of the staff',
    example: 'ticket answer 7 --as robin@example.com --message "It is fixed." --close',
  })
    .argument('<id>', idText)
    .requiredOption('--as <address>', 'the administrator who answers; the customer sees only the nickname')
    .requiredOption('--message <text>', 'the answer; - reads it from standard input')
    .option('--close', 'close the ticket with this answer')
    .action(verb(AnswerOptions, answer));
  addVerb(ticket, 'close', {
    summary: 'Close an open ticket, which then takes no replies; an archived one cannot be closed',
    example: 'ticket close 7',
  })
    .argument('<id>', idText)
    .action(verb(Options, ({ id }) => setStatus(id, 'Closed')));
  addVerb(ticket, 'archive', {
    summary: 'Archive an open or closed ticket permanently; it then takes no replies',
    example: 'ticket archive 7',
  })
    .argument('<id>', idText)
    .action(verb(Options, ({ id }) => setStatus(id, 'Archived')));
}

function addReadCommands(ticket: Command): void {
  addVerb(ticket, 'list', {
    summary: 'List tickets of all customers, newest first',
    example: 'ticket list --awaiting staff',
  })
    .option('--status <status>', ticketStatuses.join(', '))
    .option('--awaiting <side>', 'only open tickets that wait for staff or for customer')
    .option('--email <address>', 'only the tickets of this customer')
    .option('--limit <number>', `how many to show, at most ${limitMax}`, '50')
    .action(verb(ListOptions, list));
  addVerb(ticket, 'show', { summary: 'Show a ticket with all its messages', example: 'ticket show 7' })
    .argument('<id>', idText)
    .action(verb(Options, show));
}

const Options = z.object({ id: PositiveInteger });

const ListOptions = z.object({
  status: z.enum(ticketStatuses).optional(),
  awaiting: z.enum(ticketAuthors).optional(),
  email: Email.optional(),
  limit: PositiveInteger.pipe(z.number().max(limitMax)),
});

const AnswerOptions = Options.extend({ as: Email, message: MessageText, close: z.boolean().default(false) });

const list = ({ email, ...filter }: z.output<typeof ListOptions>) =>
  withModels(async (models): Promise<Report> => {
    const userId = email === undefined ? undefined : (await getUser(models, email))._id;
    const found = await models.tickets.searchDetails({ ...filter, userId });
    const tickets = await presentAdminTickets(models, found);
    const rows = tickets.map((ticket) => ({
      ...ticket,
      customer: ticket.user.email,
      messages: ticket.message_count,
    }));
    const columns = [
      'id',
      'status',
      'last_reply_by',
      'messages',
      'updated_at',
      'customer',
      'subject',
    ] as const;
    return { json: tickets, text: table(rows, columns, 'No tickets.') };
  });

const show = ({ id }: z.output<typeof Options>) =>
  withModels(async (models): Promise<Report> => {
    const conversation = await asCommand(() => readConversation(models, id));
    return { json: conversation, text: formatConversation(conversation) };
  });

const answer = ({ id, as, message, close }: z.output<typeof AnswerOptions>) =>
  withModels(async (models): Promise<Report> => {
    const staff = await getAdministrator(models, as);
    const request = { ticket_id: id, message, close };
    const parts = { models, clock: Date.now };
    const answered = await asCommand(() => answerTicket(parts, { userId: staff._id, keyId: '' }, request));
    return { json: answered, text: `Ticket ${id} is answered and is now ${answered.status}.` };
  });

async function getAdministrator(models: Models, email: string) {
  const user = await getUser(models, email);
  if (!user.isAdmin) throw new CommandError(`${email} is no administrator`);
  return user;
}

/** Refusals of the API are written for callers, and so for operators. */
async function asCommand<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (failure) {
    if (failure instanceof ApiError) throw new CommandError(failure.message);
    throw failure;
  }
}

const setStatus = (id: number, status: 'Closed' | 'Archived') =>
  withModels(async (models): Promise<Report> => {
    const outcome = await models.tickets.setStatus(id, status, new Date());
    if (!outcome) throw new CommandError(`there is no ticket ${id}`);
    const { ticket, hasChanged } = outcome;
    if (ticket.status !== status)
      throw new CommandError(`ticket ${id} is ${ticket.status} and cannot be changed`);
    return {
      json: presentTicket(ticket),
      text: `Ticket ${id} ${hasChanged ? 'is now' : 'was already'} ${status}.`,
    };
  });
