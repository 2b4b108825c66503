/** Customers who open tickets at several processes that are killed one after the other, and receivers of which half fail. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import { findFreePort } from '../../../server/dev/free-port.ts';
import { eventually } from '../../support/eventually.ts';
import { listenLocally } from '../../support/local-server.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startProgram, type TestProgram } from '../../support/program.ts';
import { addCustomers } from './customers.ts';

interface Plan {
  events: number;
  processes: number;
  customers: number;
  killEveryMs: number;
  /** Without it, until all writes are acknowledged. */
  killsMax?: number;
}

const settings = {
  SECRETS_KEY: 'c29hayBzb2FrIHNvYWsgc29hayBzb2FrIHNvYWsgc29haw==',
  WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1/32',
  WEBHOOK_TIMEOUT_SECONDS: '2',
  WEBHOOK_RETRY_SECONDS: Array.from({ length: 20 }, () => '1').join(','),
  RATE_LIMIT_PER_MINUTE: '1000000',
};

const drainedWithinMs = 240_000;
const giveUpMs = 30_000;
const hangEvery = 50;
/** By then every process knows of webhooks that another one made. */
const knownAfterMs = 2000;

/** Runs to the end: every ticket is acknowledged and no delivery waits any more. */
export async function soakWebhooks({ events, processes, customers, killEveryMs, killsMax }: Plan) {
  const uri = testDatabaseUri();
  const receiver = await startSoakReceiver();
  const fleet = await startFleet(processes, { ...settings, MONGODB_URI: uri });
  try {
    const keys = await addCustomers(uri, customers);
    await Promise.all(keys.map((key, index) => subscribe(fleet.anyUrl, key, receiver.urlOf(index))));
    await pass(knownAfterMs);
    const startedAt = performance.now();
    const secondsSince = () => Math.round((performance.now() - startedAt) / 1000);
    const killing = fleet.killInTurn(killEveryMs, killsMax);
    const acknowledged = await Promise.all(
      keys.map((key) => openTickets(fleet.anyUrl, key, events / customers)),
    );
    const acknowledgedS = secondsSince();
    await pass(killEveryMs);
    const kills = await killing.stop();
    const expected = acknowledged.flatMap((tickets, index) => tickets.map((id) => `/${index} ${id}`));
    await eventually(async () => receiver.requireAll(expected), drainedWithinMs);
    return {
      ...receiver.figures(expected),
      kills,
      acknowledgedS,
      drainedS: secondsSince(),
      output: fleet.output(),
    };
  } finally {
    await fleet.stop();
    await receiver.stop();
  }
}

async function subscribe(anyUrl: () => string, key: string, url: string): Promise<void> {
  const created = await post(`${anyUrl()}/api/v1/webhooks`, {
    key,
    body: { url, events: ['ticket.created'] },
  });
  if (created.status !== 201) throw new Error(`no webhook: ${created.status} ${await created.text()}`);
}

/** A write that a killed process began is done again after 45 seconds: the customer's others go on meanwhile. */
const writesAtOnce = 4;

/** The ids, once all are acknowledged: each write is tried at one process after the other until then. */
async function openTickets(anyUrl: () => string, key: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  let begun = 0;
  const openSome = async () => {
    while (begun++ < count) ids.push(await openTicket(anyUrl, key));
  };
  await Promise.all(Array.from({ length: writesAtOnce }, openSome));
  return ids;
}

function openTicket(anyUrl: () => string, key: string): Promise<number> {
  const idempotencyKey = randomUUID();
  const body = { title: idempotencyKey, message: 'Since noon.' };
  return eventually(async () => {
    const answer = await post(`${anyUrl()}/api/v1/tickets`, { key, body, idempotencyKey });
    if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { ticket: { id: number } }).ticket.id; // the contract's
  }, drainedWithinMs);
}

interface Write {
  key: string;
  body: object;
  idempotencyKey?: string;
}

const post = (url: string, { key, body, idempotencyKey }: Write) =>
  fetch(url, {
    method: 'POST',
    headers: {
      ...{ 'X-API-Key': key, 'Content-Type': 'application/json' },
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(giveUpMs),
  });

/** Processes of the service, each on a port of its own that it keeps when it is started again. */
async function startFleet(count: number, env: Record<string, string>) {
  const start = (port: number) => startProgram({ ...env, PORT: String(port) });
  const members: { port: number; program: TestProgram }[] = [];
  while (members.length < count) {
    const port = await findFreePort();
    members.push({ port, program: await start(port) });
  }
  const killed: TestProgram[] = [];
  let calls = 0;
  const killNext = async () => {
    const member = members[killed.length % count];
    if (!member) return;
    killed.push(member.program);
    await member.program.stop('SIGKILL');
    member.program = await start(member.port);
  };
  return {
    anyUrl: () => members[calls++ % count]?.program.url ?? '',
    /** Kills one after the other, and starts each again at once; `stop()` resolves to how many were killed. */
    killInTurn(everyMs: number, killsMax = Number.POSITIVE_INFINITY) {
      let isOver = false;
      const killing = (async () => {
        while (!isOver && killed.length < killsMax) {
          await pass(everyMs);
          await killNext();
        }
        return killed.length;
      })();
      return {
        stop: () => {
          isOver = true;
          return killing;
        },
      };
    },
    output: () =>
      [...killed, ...members.map(({ program }) => program)].map((each) => each.output()).join('\n'),
    async stop() {
      await Promise.all(members.map(({ program }) => program.stop()));
    },
  };
}

/** Every second webhook refuses the first try of each event, and leaves every fiftieth request without an answer. */
async function startSoakReceiver() {
  const tries = new Map<string, { ids: Set<string>; tried: number; accepted: number; open: number }>();
  const seen = { requests: 0, mostAtOnce: 0 };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const { data } = JSON.parse(await text(request).catch(() => '{"data":{}}'));
    const mark = `${path} ${data.ticket?.id}`;
    const kept = tries.get(mark) ?? { ids: new Set<string>(), tried: 0, accepted: 0, open: 0 };
    tries.set(mark, kept);
    kept.ids.add(String(request.headers['webhook-id']));
    kept.tried += 1;
    kept.open += 1;
    response.once('close', () => {
      kept.open -= 1;
    });
    seen.requests += 1;
    seen.mostAtOnce = Math.max(seen.mostAtOnce, kept.open);
    const isFailing = Number(path.slice(1)) % 2 === 1;
    if (isFailing && seen.requests % hangEvery === 0) return;
    if (isFailing && kept.tried === 1) return void response.writeHead(503).end();
    kept.accepted += 1;
    response.writeHead(204).end();
  });
  const { url, stop } = await listenLocally(server);
  const acceptedOf = (mark: string) => tries.get(mark)?.accepted ?? 0;
  return {
    urlOf: (index: number) => `${url}/${index}`,
    stop,
    requireAll(marks: readonly string[]) {
      const missing = marks.filter((mark) => acceptedOf(mark) === 0);
      if (missing.length > 0)
        throw new Error(`${missing.length} events did not arrive, such as ${missing[0]}`);
    },
    figures: (marks: readonly string[]) => ({
      acknowledged: marks.length,
      lost: marks.filter((mark) => acceptedOf(mark) === 0).length,
      repeated: marks.filter((mark) => acceptedOf(mark) > 1).length,
      withSeveralIds: [...tries.values()].filter(({ ids }) => ids.size > 1).length,
      requests: seen.requests,
      mostAtOnce: seen.mostAtOnce,
    }),
  };
}
