/** Requests of the ticket views, for a customer's own tickets and for the support desk. */
import { listedTicketsMax } from '../../../../models/bounds.ts';
import { matchesSearch } from '../../../../models/support/fold.ts';
import type { Api, Ticket, TicketPage } from '../api.ts';
import type { Page } from '../use-query.ts';

export type Side = 'customer' | 'staff';

export interface TicketFilter {
  /** For staff: waiting tickets, the longest waiting first; those that the user has taken; or all. */
  view: 'waiting' | 'mine' | 'all';
  /** Words, a number or the beginning of a customer's e-mail address; empty: no search. */
  search: string;
}

type PageOfMessages = { after: number; limit: number };

export interface Reply {
  message: string;
  close: boolean;
  /** The number of the last message shown. */
  seen: number;
}

export interface Desk {
  side: Side;
  hash: '#tickets' | '#support';
  list(filter: TicketFilter, before?: number): Promise<Page<Ticket>>;
  read(id: number, page: PageOfMessages): Promise<TicketPage>;
  reply(id: number, reply: Reply): Promise<unknown>;
  setOpen(id: number, isOpen: boolean): Promise<unknown>;
  isStaff: boolean;
}

export const pageSize = 50;

const pageOf = (items: Ticket[]): Page<Ticket> => ({ items, hasMore: items.length === pageSize });

const all = (items: Ticket[]): Page<Ticket> => ({ items, hasMore: false });

export const createOwnDesk = ({ tickets: own }: Api): Desk => ({
  side: 'customer',
  hash: '#tickets',
  async list({ search }, before) {
    if (search) {
      const { tickets } = await own.list.query({ limit: listedTicketsMax });
      const found = tickets.filter((ticket) => matches(ticket, search));
      return all(
        found.toSorted((one, other) => Number(isNumber(other, search)) - Number(isNumber(one, search))),
      );
    }
    const { tickets } = await own.list.query({ ...(before && { before }), limit: pageSize });
    return pageOf(tickets);
  },
  read: (id, page) => own.get.query({ ticket_id: id, ...page }),
  reply: (id, { message }) => own.reply.mutate({ ticket_id: id, message }),
  setOpen: (id, isOpen) => (isOpen ? own.reopen : own.close).mutate({ ticket_id: id }),
  isStaff: false,
});

/** An exact number comes first. */
const isNumber = ({ id }: Ticket, search: string) => search.replace(/^#/, '') === String(id);

/** Every word must be in the number, the subject or the service. */
const matches = ({ id, subject, service_name }: Ticket, search: string) =>
  matchesSearch([`#${id}`, subject, service_name], search);

export const createSupportDesk = ({ admin }: Api): Desk => ({
  side: 'staff',
  hash: '#support',
  async list({ view, search }, before) {
    if (!search && view === 'mine') return all(await listMine(admin));
    if (!search && view === 'waiting')
      return all((await admin.listTickets.query({ sort: 'waiting', limit: listedTicketsMax })).tickets);
    const request = { ...(search && { search }), ...(before && { before }), limit: pageSize };
    return pageOf((await admin.listTickets.query(request)).tickets);
  },
  read: (id, page) => admin.getTicket.query({ ticket_id: id, ...page }),
  reply: (id, reply) => admin.answerTicket.mutate({ ticket_id: id, ...reply }),
  setOpen: (id, isOpen) =>
    admin.setTicketStatus.mutate({ ticket_id: id, status: isOpen ? 'Active' : 'Closed' }),
  isStaff: true,
});

async function listMine({ listTickets }: Api['admin']): Promise<Ticket[]> {
  const request = { assignee: 'me', limit: listedTicketsMax } as const;
  const lists = await Promise.all(
    (['New', 'Active'] as const).map((status) => listTickets.query({ ...request, status })),
  );
  return lists.flatMap(({ tickets }) => tickets).toSorted((one, other) => other.id - one.id);
}

export const nameOf = ({ id, nickname }: { id: number; nickname: string | null }) =>
  nickname?.trim() || `Colleague ${id}`;

export const isOpen = ({ status }: Ticket) => status === 'New' || status === 'Active';
