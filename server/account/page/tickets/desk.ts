/** What the ticket views ask of the service, for a customer's own tickets and for the staff's. */
import type { Api, Ticket, TicketPage } from '../api.ts';

export type Side = 'customer' | 'staff';

export interface Desk {
  side: Side;
  /** Of links to its tickets. */
  hash: '#tickets' | '#support';
  list(filter: { awaiting?: Side; before?: number }): Promise<Ticket[]>;
  read(id: number, after: number): Promise<TicketPage>;
  reply(id: number, message: string, close: boolean): Promise<unknown>;
  setOpen(id: number, isOpen: boolean): Promise<unknown>;
}

/** How many tickets and messages a request shows. */
export const pageSize = 50;

export const createOwnDesk = ({ conversations }: Api): Desk => ({
  side: 'customer',
  hash: '#tickets',
  list: async (filter) => (await conversations.list.query({ ...filter, limit: pageSize })).tickets,
  read: (id, after) => conversations.get.query({ ticket_id: id, after, limit: pageSize }),
  reply: (id, message) => conversations.reply.mutate({ ticket_id: id, message }),
  setOpen: (id, isOpen) => (isOpen ? conversations.reopen : conversations.close).mutate({ ticket_id: id }),
});

export const createSupportDesk = ({ support }: Api): Desk => ({
  side: 'staff',
  hash: '#support',
  list: async (filter) => (await support.list.query({ ...filter, limit: pageSize })).tickets,
  read: (id, after) => support.get.query({ ticket_id: id, after, limit: pageSize }),
  reply: (id, message, close) => support.answer.mutate({ ticket_id: id, message, close }),
  setOpen: (id, isOpen) => support.setStatus.mutate({ ticket_id: id, status: isOpen ? 'Active' : 'Closed' }),
});

export const isOpen = ({ status }: Ticket) => status === 'New' || status === 'Active';

/** Whether the ticket waits for this side: the other one wrote last. */
export const isAwaiting = (ticket: Ticket, side: Side) => isOpen(ticket) && ticket.last_reply_by !== side;
