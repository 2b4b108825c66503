/** What the ticket views ask of the service, for a customer's own tickets and for the staff's. */
import type { Api, Customer, CustomerServer, Ticket, TicketPage } from '../api.ts';

export type Side = 'customer' | 'staff';

export interface TicketFilter {
  /** Whether only tickets that wait for the staff are shown, the longest waiting first. */
  isQueue: boolean;
  /** In subjects, or the beginning of a customer's e-mail address; empty: no search. */
  search: string;
}

interface PageOfMessages {
  after: number;
  limit: number;
}

export interface Desk {
  side: Side;
  /** Of links to its tickets. */
  hash: '#tickets' | '#support';
  list(filter: TicketFilter, before?: number): Promise<Ticket[]>;
  read(id: number, page: PageOfMessages): Promise<TicketPage>;
  reply(id: number, message: string, close: boolean): Promise<unknown>;
  setOpen(id: number, isOpen: boolean): Promise<unknown>;
  /** What the staff alone is shown and does; null at a customer's own desk. */
  staff: StaffDesk | null;
}

export interface StaffDesk {
  /** The ticket that has waited longest, beside this one; null: none waits. */
  findNext(id: number): Promise<Ticket | null>;
  readCustomer(id: number): Promise<Customer>;
  listServers(id: number): Promise<CustomerServer[]>;
}

/** How much of the queue is shown: it has no further pages, as it changes with every answer. */
const queueMax = 200;

/** How many tickets and messages a request shows. */
export const pageSize = 50;

export const createOwnDesk = ({ conversations }: Api): Desk => ({
  side: 'customer',
  hash: '#tickets',
  list: async (_, before) =>
    (await conversations.list.query({ ...(before && { before }), limit: pageSize })).tickets,
  read: (id, page) => conversations.get.query({ ticket_id: id, ...page }),
  reply: (id, message) => conversations.reply.mutate({ ticket_id: id, message }),
  setOpen: (id, isOpen) => (isOpen ? conversations.reopen : conversations.close).mutate({ ticket_id: id }),
  staff: null,
});

export const createSupportDesk = ({ support, customer }: Api): Desk => ({
  side: 'staff',
  hash: '#support',
  async list({ isQueue, search }, before) {
    const newest = { ...(search && { search }), ...(before && { before }) };
    const request =
      isQueue && !search ? ({ sort: 'waiting', limit: queueMax } as const) : { ...newest, limit: pageSize };
    return (await support.list.query(request)).tickets;
  },
  read: (id, page) => support.get.query({ ticket_id: id, ...page }),
  reply: (id, message, close) => support.answer.mutate({ ticket_id: id, message, close }),
  setOpen: (id, isOpen) => support.setStatus.mutate({ ticket_id: id, status: isOpen ? 'Active' : 'Closed' }),
  staff: {
    async findNext(id) {
      const { tickets } = await support.list.query({ sort: 'waiting', limit: 2 });
      return tickets.find((ticket) => ticket.id !== id) ?? null;
    },
    readCustomer: (id) => customer.get.query({ ticket_id: id }),
    listServers: async (id) => (await customer.servers.query({ ticket_id: id })).servers,
  },
});

export const isOpen = ({ status }: Ticket) => status === 'New' || status === 'Active';
