/** A program that attacks a service from many connections at once, as visitors without a key and as one hostile customer, until it is stopped. */
import { randomUUID } from 'node:crypto';
import { setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import { bodyBytesMax, visitorBodyBytesMax } from '../../../models/bounds.ts';
import {
  bodyOfManyFields,
  largeBatch,
  largestBody,
  longestPages,
  type RawRequest,
  type SendOptions,
  sendHostile,
  signInBatch,
} from '../../support/hostile-client.ts';

interface Attack {
  name: string;
  /** Each sends a request, waits for its outcome, and sends the next. */
  connections: number;
  /** A stranger has many addresses, so that limits by address do not end the attack; the hostile customer has keys. */
  by: 'stranger' | 'customer';
  requestOf(connection: number): RawRequest;
  sendOptions?: SendOptions;
  /** When the last byte of the body follows; by default never. */
  finishAfterMs?: number;
  /** Whether the connection stays until the service closes it. */
  isKept?: boolean;
}

const pauseMs = 1000;

/** A real attacker has another machine, so its work here must not slow the service. */
const attackerNiceness = 10;

/** A connection without a response for this long is replaced. */
const giveUpMs = 30_000;

const strangerAddress = (connection: number, round: number) =>
  `127.${1 + (round % 200)}.${Math.floor(connection / 5)}.1`;

const openTargets = ['POST /api/v1/tickets', 'POST /trpc/tickets.create', 'POST /mcp'];
const signInTarget = 'POST /account/trpc/session.signIn';
const oneByOne = { isChunked: true, chunkBytes: 1 };
const largeBatchTarget = `POST /trpc/${Array(16).fill('tickets.create').join(',')}?batch=1`;

interface Customer {
  keys: string[];
  /** Ids of long tickets, ten at least. */
  ticketIds: number[];
}

function attacksOf({ ticketIds }: Customer): Attack[] {
  const manyFields = bodyOfManyFields();
  const batch = signInBatch();
  const form = largestBody(visitorBodyBytesMax);
  const largest = largestBody(bodyBytesMax);
  const leaked = JSON.stringify({ credentials: Array(100).fill(`gamehost_refresh_${'x'.repeat(108)}`) });
  const longTickets = {
    procedure: 'tickets.get',
    inputs: ticketIds.slice(0, 10).map((ticket_id) => ({ ticket_id, limit: 100 })),
  };
  return [
    {
      ...{ name: 'batches of sign-ins', connections: 12, by: 'stranger', finishAfterMs: 500 },
      requestOf: (connection) => ({ ...batch, address: `127.0.0.${2 + (connection % 3)}` }),
      sendOptions: { isHeldBack: true },
    },
    {
      ...{ name: 'bodies of 450,000 fields', connections: 4, by: 'stranger' },
      requestOf: (connection) => ({
        target: [...openTargets, signInTarget][connection] ?? '',
        body: manyFields,
      }),
    },
    {
      ...{ name: 'bodies of 450,000 fields with a key', connections: 2, by: 'customer' },
      requestOf: () => ({ target: largeBatchTarget, body: manyFields }),
    },
    {
      ...{ name: 'bodies without an end', connections: 80, by: 'customer', isKept: true },
      requestOf: () => ({ target: openTargets[0] ?? '', body: largest }),
      sendOptions: { isHeldBack: true },
    },
    {
      ...{ name: 'sign-ins without an end', connections: 80, by: 'stranger', isKept: true },
      requestOf: () => ({ target: signInTarget, body: form }),
      sendOptions: { isHeldBack: true },
    },
    {
      ...{ name: 'bodies of one-byte chunks', connections: 40, by: 'stranger', isKept: true },
      requestOf: () => ({ target: signInTarget, body: form, ...oneByOne }),
    },
    {
      ...{ name: 'unread bodies of one-byte chunks', connections: 100, by: 'stranger' },
      requestOf: () => ({ target: 'GET /api/v1/docs/', body: 'x'.repeat(10_000), ...oneByOne }),
    },
    {
      ...{ name: 'reports of a hundred leaked tokens', connections: 20, by: 'stranger' },
      requestOf: () => ({ target: 'POST /api/v1/credentials/revoke', body: leaked }),
    },
    {
      ...{ name: 'requests sent ahead', connections: 50, by: 'stranger' },
      requestOf: () => ({ target: 'GET /' }),
      sendOptions: { times: 1000, bytesPerSecond: 0 },
    },
    {
      ...{ name: 'full tickets, all at once', connections: 50, by: 'customer' },
      requestOf: (connection) => ({
        target: `GET /api/v1/tickets/${ticketIds[connection % ticketIds.length]}?limit=100`,
      }),
    },
    {
      ...{ name: 'long responses, read slowly', connections: 60, by: 'customer', isKept: true },
      requestOf: (connection) => largeBatch(connection % 2 === 0 ? longestPages(10) : longTickets),
      sendOptions: { bytesPerSecond: 1024 },
    },
    {
      ...{ name: 'concurrent sign-ins', connections: 200, by: 'stranger' },
      requestOf: () => {
        const signIn = { email: `${randomUUID()}@example.com`, password: 'not the password' };
        return { target: signInTarget, body: JSON.stringify(signIn) };
      },
    },
  ];
}

/** How often each attack got each status; 0: the connection ended, or was given up, without one. */
type Outcomes = Record<string, Record<number, number>>;

interface Target {
  url: string;
  keys: string[];
  outcomes: Outcomes;
}

async function repeat({ url, keys, outcomes }: Target, attack: Attack, connection: number): Promise<never> {
  const { name, by, requestOf, sendOptions, finishAfterMs, isKept = false } = attack;
  for (let round = 0; ; round += 1) {
    const caller =
      by === 'customer'
        ? { key: keys[(connection + round) % keys.length] ?? '' }
        : { address: strangerAddress(connection, round) };
    const { socket, finish, status } = sendHostile(url, { ...caller, ...requestOf(connection) }, sendOptions);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    if (finishAfterMs !== undefined) await pass(finishAfterMs).then(finish);
    const answer = await Promise.race([status, pass(giveUpMs, 0)]);
    outcomes[name] = addOne(outcomes[name], answer);
    if (isKept) await Promise.race([closed, pass(giveUpMs)]);
    socket.destroy();
    await pass(pauseMs);
  }
}

const addOne = (counts: Record<number, number> = {}, status: number) => ({
  ...counts,
  [status]: (counts[status] ?? 0) + 1,
});

/** Reads the customer from stdin, attacks until the process receives SIGTERM, and prints the outcomes. */
async function main(url: string): Promise<void> {
  const customer: Customer = JSON.parse(await text(process.stdin));
  setPriority(attackerNiceness);
  const outcomes: Outcomes = {};
  for (const attack of attacksOf(customer))
    for (let connection = 0; connection < attack.connections; connection += 1)
      void repeat({ url, keys: customer.keys, outcomes }, attack, connection);
  process.once('SIGTERM', () => process.stdout.write(JSON.stringify(outcomes), () => process.exit()));
}

await main(process.argv[2] ?? '');
