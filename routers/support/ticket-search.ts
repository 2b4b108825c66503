/** How staff finds tickets: by their number, words of their subject, or their customer's e-mail address. */
import { foundCustomersMax, searchedWordsMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import type { StaffTicketFilter } from '../../models/ticket/list.ts';
import type { TicketDetail } from '../../models/ticket/read.ts';

export interface StaffTicketQuery extends Omit<StaffTicketFilter, 'userId' | 'userIds' | 'words' | 'id'> {
  user_id?: number | undefined;
  search?: string | undefined;
}

export async function findAnyTickets(models: Models, query: StaffTicketQuery): Promise<TicketDetail[]> {
  const { user_id: userId, search, ...filter } = query;
  const match = search === undefined ? {} : await matchOf(models, search.trim());
  return models.tickets.searchDetails({ ...filter, userId, ...match });
}

const ticketNumber = /^#?([1-9]\d{0,14})$/;

async function matchOf({ users }: Models, search: string) {
  if (search.includes('@')) return { userIds: await users.findIdsByEmail(search, foundCustomersMax) };
  const [, number] = ticketNumber.exec(search) ?? [];
  if (number && search.startsWith('#')) return { id: Number(number) };
  return { words: search.split(/\s+/).slice(0, searchedWordsMax), ...(number && { id: Number(number) }) };
}
