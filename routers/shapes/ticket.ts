/** Support tickets (contract, sections 2 and 3). */
import { z } from 'zod';
import type { TicketSummary } from '../../models/ticket.ts';
import { dateTime } from './date-time.ts';
import { filledText, text } from './text.ts';

const status = z.string().describe('New, Active, Closed or Archived.');

export const Ticket = z.object({
  id: z.int(),
  subject: z.string(),
  status,
  created_at: dateTime.nullable(),
  updated_at: dateTime.nullable(),
});

export const TicketCreated = Ticket.pick({ id: true, subject: true, status: true });

const subject = filledText(200).optional();
const message = filledText(10_000).describe('1 to 10,000 characters.');
const serviceText = text(200).nullable().optional();

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
    z.refine((ticket) => (ticket.title ?? ticket.subject) !== undefined, {
      path: ['title'],
      error: 'is required',
      when: isObject,
    }),
    z.refine(({ title = null, subject = title }) => title === null || title === subject, {
      path: ['subject'],
      error: 'must be the same as title when both are given',
      when: isObject,
    }),
  );

export const TicketReplyRequest = z.strictObject({
  ticket_id: z.int().min(1).describe("The ticket's id, as the ticket list shows it."),
  message,
});

export const TicketReplied = z.object({ ticket_id: z.int(), status });

export const presentTicket = (ticket: TicketSummary): z.infer<typeof Ticket> => ({
  ...presentTicketCreated(ticket),
  created_at: ticket.createdAt.toISOString(),
  updated_at: ticket.updatedAt.toISOString(),
});

export const presentTicketCreated = (ticket: TicketSummary): z.infer<typeof TicketCreated> => ({
  id: ticket._id,
  subject: ticket.subject,
  status: ticket.status,
});
