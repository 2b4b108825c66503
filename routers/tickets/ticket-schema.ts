/** Wire schemas for tickets without their messages. */
import { z } from 'zod';
import { ticketStatuses } from '../../models/ticket/schema.ts';
import type { TicketSummary } from '../../models/ticket/store.ts';
import { dateTime, integer, openEnum } from '../schemas/common.ts';
import { createPick } from '../schemas/pick.ts';
import { filledLine, filledProse, line } from '../schemas/text.ts';

export const TicketId = integer(1).describe('Identifies the ticket.');

const status = openEnum('TicketStatus', ticketStatuses).describe(
  'Closed and Archived tickets accept no replies. Archived is final. New: no reply yet.',
);

const exampleCreated = { id: 1, subject: 'Lag since noon', status: 'New' };
const exampleMoment = '2026-11-21T09:30:00.000Z';
export const exampleTicket = { ...exampleCreated, created_at: exampleMoment, updated_at: exampleMoment };

export const Ticket = z
  .object({
    id: z.int().describe('Identifies the ticket in paths.'),
    subject: z.string().describe('The topic of the ticket, on one line.'),
    status,
    created_at: dateTime.nullable().describe('When it was opened; null if unknown.'),
    updated_at: dateTime
      .nullable()
      .describe('When a message or a new status last changed it; null if unknown.'),
  })
  .meta({
    title: 'Ticket',
    description: 'The current state of the ticket.',
    examples: [exampleTicket],
  });

export const TicketCreated = Ticket.pick({ id: true, subject: true, status: true }).meta({
  title: 'TicketCreated',
  description: 'The new ticket.',
  examples: [exampleCreated],
});

const subject = filledLine(200).optional();
const message = filledProse(10_000).describe('The text: 1 to 10,000 characters.');
const serviceText = line(200).nullable().optional();

const isText = (value: unknown) => typeof value === 'string';

/** Lets these checks run even if a field is invalid, so that one message names every problem. */
const isObject = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;

export const TicketCreateRequest = z
  .strictObject({
    title: subject.describe('The subject: 1 to 200 characters on one line.'),
    subject: subject
      .describe('An alias of title. One of the two is required; if both are given, they must be the same.')
      .meta({ aliasOf: 'title' }),
    message,
    service_name: serviceText.describe('The service that the ticket is about.'),
    service_reference: serviceText.describe('For a game server, its identifier.'),
    service_type: serviceText.describe('The type of the service.'),
  })
  .check(
    z.refine(({ title, subject }) => title !== undefined || subject !== undefined, {
      path: ['title'],
      error: 'is required',
      when: isObject,
    }),
    z.refine(({ title, subject }) => title === subject || !isText(title) || !isText(subject), {
      path: ['subject'],
      error: 'must be the same as title when both are given',
      when: isObject,
    }),
  )
  .meta({
    title: 'TicketCreateRequest',
    examples: [{ title: 'Lag since noon', message: 'Players time out every few minutes.' }],
  });

export const toNewTicket = (request: z.infer<typeof TicketCreateRequest>) => ({
  subject: request.title ?? request.subject ?? '',
  text: request.message,
  serviceName: request.service_name ?? null,
  serviceReference: request.service_reference ?? null,
  serviceType: request.service_type ?? null,
});

export const TicketReplyRequest = z
  .strictObject({
    ticket_id: TicketId,
    message,
  })
  .meta({ title: 'TicketReplyRequest', examples: [{ ticket_id: 1, message: 'It is over now, thank you.' }] });

export const TicketChangeRequest = z
  .strictObject({ ticket_id: TicketId })
  .meta({ examples: [{ ticket_id: 1 }] });

export const TicketReplied = z
  .object({ ticket_id: z.int().describe('Identifies the ticket.'), status })
  .meta({
    title: 'TicketReplied',
    description: 'The ticket after the reply.',
    examples: [{ ticket_id: 1, status: 'Active' }],
  });

export const presentTicket: (ticket: TicketSummary) => z.infer<typeof Ticket> = createPick(Ticket);

export const presentTicketCreated: (ticket: TicketSummary) => z.infer<typeof TicketCreated> =
  createPick(TicketCreated);
