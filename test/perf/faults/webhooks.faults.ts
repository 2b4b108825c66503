/** Processes are killed one after the other and half of the receivers fail: every event arrives, and no two attempts overlap. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { listenLocally } from '../../support/local-server.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { useStarted } from '../../support/use-started.ts';
import { addCustomers } from '../customers.ts';
import { callApi } from './call.ts';
import { record } from './figures.ts';
import { startFleet } from './fleet.ts';
import { Load } from './load.ts';

const events = 5000;
const processes = 4;
const customers = 20;
const killEveryMs = 4000;
const drainedWithinMs = 240_000;
/** A write that a killed process began is repeated after a minute; the customer's other writes continue meanwhile. */
const writesAtOnce = 4;
const hangEvery = 50;

const settings = {
  SECRETS_KEY: 'c29hayBzb2FrIHNvYWsgc29hayBzb2FrIHNvYWsgc29haw==',
  WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1/32',
  WEBHOOK_TIMEOUT_SECONDS: '2',
  WEBHOOK_RETRY_SECONDS: Array(20).fill('1').join(','),
};

/** Every second webhook refuses the first attempt of each event, and never answers every fiftieth request. */
async function startReceiver() {
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
  return { ...(await listenLocally(server)), seen, tries };
}

describe('webhooks under load', () => {
  let uri: string;
  const receiver = useStarted(startReceiver);
  const fleet = useStarted(() => {
    uri = testDatabaseUri();
    return startFleet(processes, { ...settings, MONGODB_URI: uri });
  });

  it('deliver every event of an acknowledged write, under one id, while four processes are killed in turn', async function () {
    this.timeout(900_000);
    const keys = await addCustomers(uri, customers);
    const subscribe = async (key: string, index: number) => {
      const body = { url: `${receiver.url}/${index}`, events: ['ticket.created'] };
      expect((await callApi(fleet.urls[0] ?? '', '/webhooks', { key, body })).status).to.equal(201);
    };
    await Promise.all(keys.map(subscribe));
    const startedAt = performance.now();
    const seconds = () => Math.round((performance.now() - startedAt) / 1000);
    let kills = 0;
    let isOver = false;
    const killing = (async () => {
      for (; !isOver; kills += 1) {
        await pass(killEveryMs);
        await fleet.kill(kills % processes);
        await fleet.restart(kills % processes);
      }
    })();
    // Each write goes to one process after the other until it is acknowledged.
    const load = new Load({
      urls: fleet.urls,
      keys: keys.flatMap((key) => Array<string>(writesAtOnce).fill(key)),
      ...{ timeoutMs: drainedWithinMs, ticketsMax: events, repliesPerTicket: 0 },
    });
    const { acknowledged } = await load.ends();
    const acknowledgedS = seconds();
    isOver = true;
    await killing;
    const accepted = (least: number) =>
      acknowledged.filter(({ key, ticketId }) => {
        const mark = `/${keys.indexOf(key)} ${ticketId}`;
        return (receiver.tries.get(mark)?.accepted ?? 0) >= least;
      }).length;
    await eventually(async () => expect(accepted(1)).to.equal(acknowledged.length), drainedWithinMs);
    const { requests, mostAtOnce } = receiver.seen;
    record(`${processes} processes killed in turn while they send webhooks, half of which fail`, {
      ...{ acknowledged: acknowledged.length, requests, kills },
      'arrived again with the same id': accepted(2),
      'acknowledged after s': acknowledgedS,
      'all arrived after s': seconds(),
    });
    expect([acknowledged.length, mostAtOnce]).to.deep.equal([events, 1]);
    expect([...receiver.tries.values()].filter(({ ids }) => ids.size > 1)).to.deep.equal([]);
    expect(fleet.output()).to.not.match(/unhandled|TypeError/i);
  });
});
