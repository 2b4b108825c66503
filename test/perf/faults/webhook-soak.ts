/** Customers who open tickets at several processes that are killed one after the other, and receivers of which half fail. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { listenLocally } from '../../support/local-server.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { addCustomers } from '../customers.ts';
import { callApi } from './call.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { Load } from './load.ts';

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
};

const drainedWithinMs = 240_000;
/** A write that a killed process began is done again after 45 seconds: the customer's others go on meanwhile. */
const writesAtOnce = 4;
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
    const [url = ''] = fleet.urls;
    await Promise.all(keys.map((key, index) => subscribe(url, key, receiver.urlOf(index))));
    await pass(knownAfterMs);
    const startedAt = performance.now();
    const secondsSince = () => Math.round((performance.now() - startedAt) / 1000);
    const killing = killInTurn(fleet, killEveryMs, killsMax);
    // Each write is tried at one process after the other until it is acknowledged.
    const load = new Load({
      urls: fleet.urls,
      keys: keys.flatMap((key) => Array.from({ length: writesAtOnce }, () => key)),
      ...{ timeoutMs: drainedWithinMs, ticketsMax: events, repliesPerTicket: 0 },
    });
    const { acknowledged } = await load.ends();
    const acknowledgedS = secondsSince();
    await pass(killEveryMs);
    const kills = await killing.stop();
    const expected = acknowledged.map(({ key, ticketId }) => `/${keys.indexOf(key)} ${ticketId}`);
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

async function subscribe(processUrl: string, key: string, url: string): Promise<void> {
  const body = { url, events: ['ticket.created'] };
  const created = await callApi(processUrl, '/webhooks', { key, body });
  if (created.status !== 201) throw new Error(`no webhook: ${created.status} ${created.text}`);
}

/** Kills one after the other, and starts each again at once; `stop()` resolves to how many were killed. */
function killInTurn(fleet: Fleet, everyMs: number, killsMax = Number.POSITIVE_INFINITY) {
  let isOver = false;
  const killing = (async () => {
    let kills = 0;
    for (; !isOver && kills < killsMax; kills += 1) {
      await pass(everyMs);
      await fleet.kill(kills % fleet.urls.length);
      await fleet.restart(kills % fleet.urls.length);
    }
    return kills;
  })();
  return {
    stop: () => {
      isOver = true;
      return killing;
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
