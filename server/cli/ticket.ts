/** `ticket`: list, show, answer, close and archive. An archived ticket stays archived. */
import { z } from 'zod';
import { pageSizeMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import { ticketAuthors, ticketStatuses } from '../../models/ticket/schema.ts';
import { isStaff } from '../../routers/scopes.ts';
import { answerTicket, presentAdminTickets, readAnyTicket } from '../../routers/tickets/conversations.ts';
import { presentTicket } from '../../routers/tickets/ticket-schema.ts';
import { findUserId, getUser } from './access.ts';
import { command, list, noun } from './command.ts';
import { Email, Flag, limit, messageText, PositiveInteger } from './option.ts';
import { CommandError, printable } from './print.ts';

const OneTicket = z.object({
  id: PositiveInteger.meta({ isArgument: true, description: 'the id of the ticket' }),
});

export const ticket = noun("Customers' support tickets", {
  list: list({
    summary: 'List tickets of all customers, newest first',
    example: 'ticket list --awaiting staff',
    options: z.object({
      status: z
        .enum(ticketStatuses)
        .optional()
        .describe(`<status> ${ticketStatuses.join(', ')}`),
      awaiting: z
        .enum(ticketAuthors)
        .optional()
        .describe('<side> only open tickets that wait for staff or for customer'),
      email: Email.optional().describe('<address> only the tickets of this customer'),
      limit: limit(200),
    }),
    async run(models, { email, ...filter }) {
      const userId = await findUserId(models, email);
      return presentAdminTickets(models, await models.tickets.searchDetails({ ...filter, userId }));
    },
    columns: [
      'id',
      'status',
      'last_reply_by',
      ['messages', ({ message_count }) => message_count],
      'updated_at',
      ['customer', ({ user }) => user.email],
      'subject',
    ],
    empty: 'No tickets.',
  }),
  show: command({
    summary: 'Show a ticket with all its messages',
    example: 'ticket show 7',
    options: OneTicket,
    async run(models, { id }) {
      const conversation = await readConversation(models, id);
      return { json: conversation, text: formatConversation(conversation) };
    },
  }),
  answer: command({
    summary: 'Answer an open ticket as a member of the staff',
    example: 'ticket answer 7 --as robin@example.com --message "It is fixed." --close',
    options: (io) =>
      OneTicket.extend({
        as: Email.describe(
          '<address> the administrator or member of support who answers; the customer sees only the nickname',
        ),
        message: messageText(io).describe('<text> the answer; - reads it from standard input'),
        close: Flag.describe('close the ticket with this answer'),
      }),
    async run(models, { id, as, message, close }) {
      const staff = await getUser(models, as);
      if (!isStaff(staff)) throw new CommandError(`${as} is neither an administrator nor support`);
      const request = { ticket_id: id, message, close };
      const deps = { models, clock: Date.now };
      const answered = await answerTicket(deps, { userId: staff._id, keyId: '' }, request);
      return { json: answered, text: `Ticket ${id} is answered and is now ${answered.status}.` };
    },
  }),
  close: command({
    summary: 'Close an open ticket, which then takes no replies; an archived one cannot be closed',
    example: 'ticket close 7',
    options: OneTicket,
    run: (models, { id }) => setStatus(models, id, 'Closed'),
  }),
  archive: command({
    summary: 'Archive an open or closed ticket permanently; it then takes no replies',
    example: 'ticket archive 7',
    options: OneTicket,
    run: (models, { id }) => setStatus(models, id, 'Archived'),
  }),
});

async function setStatus(models: Models, id: number, status: 'Closed' | 'Archived') {
  const change = await models.transaction((transaction) =>
    models.tickets.setStatus({ id, status }, new Date(), transaction),
  );
  if (!change) throw new CommandError(`there is no ticket ${id}`);
  const { ticket, hasChanged } = change;
  if (ticket.status !== status)
    throw new CommandError(`ticket ${id} is ${ticket.status} and cannot be changed`);
  const text = `Ticket ${id} ${hasChanged ? 'is now' : 'was already'} ${status}.`;
  return { json: presentTicket(ticket), text };
}

async function readConversation(models: Models, id: number) {
  const read = (after: number) =>
    readAnyTicket({ models, clock: Date.now }, { ticket_id: id, after, limit: pageSizeMax });
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
