/** What customers ask for, in turn: every work in every tongue, each time for the next customer. */
import { randomUUID } from 'node:crypto';
import type { Request } from 'autocannon';
import { callsOf, speaks, statusOf, type Tongue } from '../bench/calls.ts';
import { type People, type Person, strangers } from '../bench/people.ts';
import { type Work, works } from '../bench/works.ts';

export interface Errand {
  /** As in `tickets.create, mcp`. */
  name: string;
  request: Request;
  status: number;
}

const tongues: Tongue[] = ['rest', 'trpc', 'mcp'];

/** Of these calls, every second one brings an idempotency key. */
const isWrite = ({ status }: Work) => status === 201 || status === 202;

/**
 * Without end. Nobody is to reach the limit here, nor to call with a single key.
 * @param isWanted which works are asked for
 */
export function* errandsOf(people: People, isWanted = (_: Work) => true): Generator<Errand> {
  const asked = works.filter(({ isLimited, keysMax }) => !isLimited && keysMax !== 1).filter(isWanted);
  const kinds = asked.flatMap((work) =>
    tongues.filter((tongue) => speaks(work, tongue)).map((tongue) => ({ work, tongue })),
  );
  const crowd = { ...people, strangers: strangers(people.readers.length) };
  for (let round = 0; ; round += 1)
    for (const [index, { work, tongue }] of kinds.entries()) {
      // Kinds begin with different customers, so that no one does everything at once.
      const person = pick(crowd[work.who], round + index * 7);
      yield errandOf({ work, tongue }, person, round);
    }
}

function errandOf({ work, tongue }: { work: Work; tongue: Tongue }, person: Person, round: number): Errand {
  const request = pick(callsOf(work, tongue, person), round);
  const isKeyed = isWrite(work) && round % 2 === 0;
  const headers = { ...request.headers, ...(isKeyed && { 'idempotency-key': randomUUID() }) };
  return {
    name: `${work.name}, ${tongue}`,
    request: { ...request, headers },
    status: statusOf(work, tongue),
  };
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}
