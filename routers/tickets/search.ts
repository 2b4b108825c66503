/** Finds tickets for the staff: by number, words of the subject, or the customer's e-mail address. */
import { foundCustomersMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import type { StaffTicketFilter } from '../../models/ticket/list.ts';
import type { TicketDetail } from '../../models/ticket/read.ts';

interface StaffTicketQuery extends Omit<StaffTicketFilter, 'userId' | 'userIds' | 'words' | 'id'> {
  user_id?: number | undefined;
  search?: string | undefined;
}

export async function findAnyTickets(models: Models, query: StaffTicketQuery): Promise<TicketDetail[]> {
  const { user_id: userId, search, ...others } = query;
  const filter = { ...others, userId };
  if (search === undefined) return models.tickets.searchDetails(filter);
  const [, number] = ticketNumber.exec(search.trim()) ?? [];
  const id = number === undefined ? undefined : Number(number);
  const isFirstPage = filter.before === undefined;
  const named = id !== undefined && isFirstPage ? await models.tickets.searchDetails({ ...filter, id }) : [];
  if (id !== undefined && search.includes('#')) return named;
  const found = await models.tickets.searchDetails({ ...filter, ...(await matchOf(models, search)) });
  return [...named, ...found.filter(({ _id }) => _id !== id)].slice(0, filter.limit);
}

/** A number without # may also be a word of the subject. */
const ticketNumber = /^#?([1-9]\d{0,14})$/;

async function matchOf({ users }: Models, search: string) {
  const words = search.trim().split(/\s+/);
  const address = words.find((word) => word.includes('@'));
  const subject = words.filter((word) => word !== address).join(' ');
  return {
    ...(address !== undefined && { userIds: await users.findIdsByEmail(address, foundCustomersMax) }),
    ...(subject !== '' && { words: subject }),
  };
}
