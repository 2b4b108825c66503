/** `ticket`: list, show, answer, close and archive. An archived ticket stays archived. */
import { z } from 'zod';
import type { Models } from '../../models/index.ts';
import { ticketAuthors, ticketStatuses } from '../../models/ticket/schema.ts';
import { answerTicket, presentAdminTickets, readAnyTicket } from '../../routers/conversations.ts';
import { ApiError } from '../../routers/errors.ts';
import { messagesMax } from '../../routers/schemas/conversation.ts';
import { presentTicket } from '../../routers/schemas/ticket.ts';
import { isStaff } from '../../routers/scopes.ts';
import { changeStatus } from '../../routers/ticket-writes.ts';
import {
  addVerb,
  type CliCommand,
  CommandError,
  Email,
  getUser,
  type Io,
  messageText,
  PositiveInteger,
  printable,
  type Report,
  table,
  verb,
  withModels,
} from './command.ts';

const idText = 'the id of the ticket';
const limitMax = 200;

export function addTicketCommands(program: CliCommand): void {
  const ticket = program.command('ticket').description("Customers' support tickets");
  addReadCommands(ticket);
  addVerb(ticket, 'answer', {
    summary: 'Answer an open ticket as a member of the staff',
    example: 'ticket answer 7 --as robin@example.com --message "It is fixed." --close',
  })
    .argument('<id>', idText)
    .requiredOption(
      '--as <address>',
      'the administrator or member of support who answers; the customer sees only the nickname',
    )
    .requiredOption('--message <text>', 'the answer; - reads it from standard input')
    .option('--close', 'close the ticket with this answer')
    .action(verb(answerOptions, answer));
  addVerb(ticket, 'close', {
    summary: 'Close an open ticket, which then takes no replies; an archived one cannot be closed',
    example: 'ticket close 7',
  })
    .argument('<id>', idText)
    .action(verb(Options, ({ id }, io) => setStatus(io, id, 'Closed')));
  addVerb(ticket, 'archive', {
    summary: 'Archive an open or closed ticket permanently; it then takes no replies',
    example: 'ticket archive 7',
  })
    .argument('<id>', idText)
    .action(verb(Options, ({ id }, io) => setStatus(io, id, 'Archived')));
}

function addReadCommands(ticket: CliCommand): void {
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

const answerOptions = (io: Io) =>
  Options.extend({ as: Email, message: messageText(io), close: z.boolean().default(false) });

const list = ({ email, ...filter }: z.output<typeof ListOptions>, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
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

const show = ({ id }: z.output<typeof Options>, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
    const conversation = await asCommand(() => readConversation(models, id));
    return { json: conversation, text: formatConversation(conversation) };
  });

const answer = ({ id, as, message, close }: z.output<ReturnType<typeof answerOptions>>, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
    const staff = await getStaff(models, as);
    const request = { ticket_id: id, message, close };
    const deps = { models, clock: Date.now };
    const answered = await asCommand(() => answerTicket(deps, { userId: staff._id, keyId: '' }, request));
    return { json: answered, text: `Ticket ${id} is answered and is now ${answered.status}.` };
  });

async function getStaff(models: Models, email: string) {
  const user = await getUser(models, email);
  if (!isStaff(user)) throw new CommandError(`${email} is neither an administrator nor support`);
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

const setStatus = (io: Io, id: number, status: 'Closed' | 'Archived') =>
  withModels(io, async (models): Promise<Report> => {
    const change = await changeStatus({ models, clock: Date.now }, { ticketId: id }, (transaction) =>
      models.tickets.setStatus(id, status, { now: new Date(), transaction }),
    );
    if (!change) throw new CommandError(`there is no ticket ${id}`);
    const { ticket, hasChanged } = change;
    if (ticket.status !== status)
      throw new CommandError(`ticket ${id} is ${ticket.status} and cannot be changed`);
    return {
      json: presentTicket(ticket),
      text: `Ticket ${id} ${hasChanged ? 'is now' : 'was already'} ${status}.`,
    };
  });

/** @throws not_found */
async function readConversation(models: Models, id: number) {
  const read = (after: number) =>
    readAnyTicket({ models, clock: Date.now }, { ticket_id: id, after, limit: messagesMax });
  let page = await read(0);
  const { ticket } = page;
  const messages = [...page.messages];
  while (page.has_more) {
    page = await read(messages.length);
    messages.push(...page.messages);
  }
  return { ticket, messages };
}

function formatConversation({ ticket, messages }: Awaited<ReturnType<typeof readConversation>>): string {
  const { id, subject, status, user, service_name } = ticket;
  const about = service_name === null ? '' : `, about ${printable(service_name)}`;
  const head = `Ticket ${id}, ${status}: ${printable(subject)}\nOf ${printable(user.email)}${about}`;
  const parts = messages.map(({ number, author, name, created_at, message }) => {
    const lines = message.split(/\r?\n/).map((line) => `  ${printable(line)}`.trimEnd());
    return [`${number}. ${printable(name)} (${author}), ${created_at}`, ...lines].join('\n');
  });
  return [head, ...parts].join('\n\n');
}
