/** Support tickets (contract, sections 2 and 3). */
import { z } from 'zod';
import type { TicketSummary } from '../../models/ticket.ts';
import { dateTime, presentMoment } from './date-time.ts';
import { integer } from './integer.ts';
import { filledText, text } from './text.ts';

const status = z.string().describe('New, Active, Closed or Archived.');

const exampleCreated = { id: 1, subject: 'Lag since noon', status: 'New' };
const exampleMoment = '2026-11-21T09:30:00.000Z';

export const Ticket = z
  .object({
    id: z.int().describe('Names the ticket in paths.'),
    subject: z.string(),
    status,
    created_at: dateTime.nullable(),
    updated_at: dateTime.nullable(),
  })
  .meta({
    title: 'Ticket',
    examples: [{ ...exampleCreated, created_at: exampleMoment, updated_at: exampleMoment }],
  });

export const TicketCreated = Ticket.pick({ id: true, subject: true, status: true }).meta({
  title: 'TicketCreated',
  examples: [exampleCreated],
});

const subject = filledText(200).optional();
const message = filledText(10_000).describe('1 to 10,000 characters, not only white space.');
const serviceText = text(200).nullable().optional();

const isText = (value: unknown) => typeof value === 'string';

/** Judged together with the single fields, so that one answer names everything that is wrong. */
const isObject = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;

export const TicketCreateRequest = z
  .strictObject({
    title: subject.describe("The ticket's subject, 1 to 200 characters. Required, unless given as subject."),
    subject: subject.describe('Another name for title. Both may be given only if they are the same.'),
    message,
    service_name: serviceText.describe('The service the ticket is about, up to 200 characters.'),
    service_reference: serviceText.describe('Its reference, up to 200 characters.'),
    service_type: serviceText.describe('Its type, up to 200 characters.'),
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

export const TicketReplyRequest = z
  .strictObject({
    ticket_id: integer().min(1).describe("The ticket's id, as the ticket list shows it."),
    message,
  })
  .meta({ title: 'TicketReplyRequest', examples: [{ ticket_id: 1, message: 'It is over now, thank you.' }] });

export const TicketReplied = z
  .object({ ticket_id: z.int(), status })
  .meta({ title: 'TicketReplied', examples: [{ ticket_id: 1, status: 'Active' }] });

export const presentTicket = (ticket: TicketSummary): z.infer<typeof Ticket> => ({
  id: ticket._id,
  subject: ticket.subject,
  status: ticket.status,
  created_at: presentMoment(ticket.createdAt),
  updated_at: presentMoment(ticket.updatedAt),
});

export const presentTicketCreated = (ticket: TicketSummary): z.infer<typeof TicketCreated> => ({
  id: ticket._id,
  subject: ticket.subject,
  status: ticket.status,
});
