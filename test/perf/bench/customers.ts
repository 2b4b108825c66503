/** The customers of a benchmark: those in play, whose keys the load uses, spread evenly among others who do nothing. */
import { generateSecret } from '../../../models/api-key/secret.ts';

export interface Customer {
  userId: number;
  secret: string;
  ticketIds: number[];
  isInPlay: boolean;
  /** Whether its tickets are open; those of customers in play are. */
  isOpen: boolean;
}

export interface Customers {
  /** Their tickets stay as they are. */
  readers: Customer[];
  /** They open tickets and reply to theirs. */
  writers: Customer[];
  /** The host's people, who own nothing and see all customers' tickets. */
  staff: Customer[];
}

export interface Population {
  /** So many customers read, and as many write. */
  inPlay: number;
  /** Further customers, with a key and a ticket each. */
  idle: number;
}

const ticketsInPlay = 20;

/** The newest tickets are of as many customers in each database, so that the staff's lists show the same in all. */
const newestCount = 100;

const staffCount = 32;

/** Out of play, with a key and nothing else unless told otherwise. */
export const newCustomer = (customer: Partial<Customer>): Customer => ({
  ...{ userId: 0, secret: generateSecret(), ticketIds: [], isInPlay: false, isOpen: false },
  ...customer,
});

const manyOf = <Item>(length: number, itemOf: (number: number) => Item): Item[] =>
  Array.from({ length }, (_, index) => itemOf(index + 1));

export function* populate({ inPlay, idle }: Population): Generator<Customer> {
  const total = 2 * inPlay + idle;
  const stride = Math.floor(total / (2 * inPlay));
  let ticketCount = 0;
  for (let userId = 1; userId <= total; userId += 1) {
    const isInPlay = userId % stride === 0 && userId / stride <= 2 * inPlay;
    const earlier = ticketCount;
    const ticketIds = manyOf(isInPlay ? ticketsInPlay : 1, (number) => earlier + number);
    ticketCount += ticketIds.length;
    yield newCustomer({ userId, ticketIds, isInPlay, isOpen: isInPlay || userId % 25 === 0 });
  }
  for (let more = 1; more <= newestCount; more += 1)
    yield newCustomer({ userId: total + more, ticketIds: [ticketCount + more], isOpen: true });
}

/** After the customers, by their ids. */
export const staffAfter = ({ inPlay, idle }: Population): Customer[] =>
  manyOf(staffCount, (number) => newCustomer({ userId: 2 * inPlay + idle + newestCount + number }));

/** Callers with well-formed keys that do not exist. */
export const unknownCallers = (count: number): Customer[] => manyOf(count, () => newCustomer({}));

/** Of the one server each customer has in the panel. */
export const serverIdentifierOf = (userId: number) => userId.toString(16).padStart(8, '0');

const serversPerCustomer = 20;

/** Of all servers of a customer. */
export const serverIdentifiersOf = (userId: number): string[] => [
  serverIdentifierOf(userId),
  ...manyOf(serversPerCustomer - 1, (number) => `${serverIdentifierOf(userId)}-${number + 1}`),
];
