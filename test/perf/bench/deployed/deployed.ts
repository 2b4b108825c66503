/** The part "deployed": what callers feel of a whole deployment, ours beside Fastify, in one run and on one replica set. */
import { setTimeout as delay } from 'node:timers/promises';
import type { MixedRequest } from '../../soak/request-mix.ts';
import { SteadyLoad } from '../../soak/steady-load.ts';
import type { Bench } from '../bench.ts';
import type { Customers } from '../customers.ts';
import { processMicroseconds } from '../machine.ts';
import { measureOnce } from '../measure.ts';
import { markdownTable, showWhole } from '../report.ts';
import { callersOf } from '../side-by-side.ts';
import { callsOf, type Work, workNamed } from '../works.ts';
import { type Deployment, type Fleet, openFleet } from './fleet.ts';

interface DeployedWork {
  title: string;
  /** In the order in which they are sent, again and again. */
  of: Work[];
}

const mix: DeployedWork = {
  title: '80 % reads, 20 % POST /tickets',
  of: ['me', 'tickets', 'catalog', 'me', 'create', 'tickets', 'me', 'catalog', 'tickets', 'create'].map(
    workNamed,
  ),
};

const deployedWorks: DeployedWork[] = [
  ...['me', 'catalog', 'tickets', 'create'].map(workNamed).map((work) => ({ title: work.title, of: [work] })),
  mix,
];

/** Of Fastify's ceiling. */
const loads = [0.25, 0.5, 0.75];

const connections = 64;

interface Effort {
  seconds: number;
  /** Of a failure: the ten seconds of an election, and some before and after. */
  failureSeconds: number;
}

export async function deployedTable(bench: Bench): Promise<string> {
  const isBrief = bench.options.quick === true || bench.options.seconds < 3;
  const effort = isBrief ? { seconds: 2, failureSeconds: 20 } : { seconds: 10, failureSeconds: 40 };
  const fleet = await openFleet(bench);
  try {
    const ceilings: string[][] = [];
    const felt: string[][] = [];
    const aims: string[][] = [];
    let ceilingOfMix = 0;
    for (const work of deployedWorks) {
      bench.say(`deployed: ${work.title}`);
      const ceiling = await findCeilings(work, fleet, effort);
      ceilings.push(ceiling.row);
      const { rows, p99 } = await feel(work, fleet, { ...effort, ceiling: ceiling.ofFastify });
      felt.push(...rows);
      aims.push([work.title, ...verdictsOf(ceiling.ratio, p99)]);
      ceilingOfMix = ceiling.ofFastify;
    }
    bench.say('deployed: failures');
    const failures = await breakThings(fleet, { ...effort, ceiling: ceilingOfMix });
    return [
      'Ours beside Fastify:\n',
      markdownTable(aimsHeader, aims),
      `\nThe ceiling, ${connections} connections in a closed loop:\n`,
      markdownTable(ceilingHeader, ceilings),
      "\nOpen loop at parts of Fastify's ceiling, latency in ms from when a request was due:\n",
      markdownTable(feltHeader, felt),
      "\nThe mix at half of Fastify's ceiling, while something fails:\n",
      markdownTable(['while', ...feltHeader.slice(1)], failures),
    ].join('\n');
  } finally {
    await fleet.close();
  }
}

const aimsHeader = [
  ...['work', 'ceiling, of 2 or more', 'p99 at 50 %, of 0.5 or less'],
  'p99 at 75 % beside theirs at 50 %, of 1 or less',
];

/** @param p99 by title and load */
function verdictsOf(ceiling: number, p99: ReadonlyMap<string, number>): string[] {
  const at = (title: string, part: number) => p99.get(`${title} ${part}`) ?? Number.NaN;
  const half = at('ours', 0.5) / at('Fastify', 0.5);
  const above = at('ours', 0.75) / at('Fastify', 0.5);
  const verdict = (value: number, isReached: boolean) =>
    `${value.toFixed(2)} ${isReached ? 'reached' : 'MISSED'}`;
  return [verdict(ceiling, ceiling >= 2), verdict(half, half <= 0.5), verdict(above, above <= 1)];
}

const ceilingHeader = ['work', 'requests/s: ours', 'Fastify', 'ratio', 'CPU us: ours', 'Fastify'];

async function findCeilings(work: DeployedWork, { deployments, customers }: Fleet, { seconds }: Effort) {
  const calls = callsFor(work, customers).map(({ request }) => request);
  const found = [];
  const statuses = work.of.map(({ status }) => status);
  for (const { title: name, url, pids } of deployments) {
    const cell = { name, protocol: 'rest' as const, url, pids: pids(), calls, connections, statuses };
    await measureOnce(cell, seconds); // warms up
    found.push(await measureOnce(cell, seconds));
  }
  const [ours = none, fastify = none] = found;
  const ratio = ours.perSecond / fastify.perSecond;
  const rates = [showWhole(ours.perSecond), showWhole(fastify.perSecond), ratio.toFixed(2)];
  const row = [work.title, ...rates, ...[ours, fastify].map((of) => showWhole(of.cpuMicroseconds))];
  return { row, ratio, ofFastify: fastify.perSecond };
}

const none = { perSecond: Number.NaN, cpuMicroseconds: Number.NaN };

const feltHeader = [
  ...['work', 'load', 'requests/s', 'of', 'p50', 'p99', 'p99.9', 'longest'],
  ...['CPU: processes', 'CPU: nginx', 'CPU: MongoDB', 'load late p99', 'errors'],
];

interface Load extends Effort {
  /** Of Fastify, in requests per second. */
  ceiling: number;
}

async function feel(work: DeployedWork, fleet: Fleet, { ceiling, seconds }: Load) {
  const rows: string[][] = [];
  const p99 = new Map<string, number>();
  for (const part of loads)
    for (const deployment of fleet.deployments) {
      const felt = await feelOne(fleet, deployment, { work, perSecond: part * ceiling, seconds });
      p99.set(`${deployment.title} ${part}`, felt.p99);
      rows.push([work.title, `${100 * part} %`, ...felt.cells]);
    }
  return { rows, p99 };
}

async function breakThings(fleet: Fleet, { ceiling, failureSeconds: seconds }: Load): Promise<string[][]> {
  const { deployments, set } = fleet;
  const rows: string[][] = [];
  const failures: [title: string, breakIt: (deployment: Deployment) => Promise<void>][] = [
    ['a process is replaced', (deployment) => deployment.replaceOne()],
    ['the primary is stopped', async () => set.restart(await set.killPrimary('SIGTERM'))],
    ['the primary is killed', async () => set.restart(await set.killPrimary())],
  ];
  for (const [title, breakIt] of failures)
    for (const deployment of deployments) {
      const during = () => delay(3000).then(() => breakIt(deployment));
      const load = { work: mix, perSecond: 0.5 * ceiling, seconds, during };
      rows.push([title, '50 %', ...(await feelOne(fleet, deployment, load)).cells]);
      await set.isWhole();
    }
  return rows;
}

interface OpenLoad {
  work: DeployedWork;
  perSecond: number;
  seconds: number;
  /** What happens meanwhile. */
  during?: () => Promise<void>;
}

/** The cells of a row, from the requests a second on. */
async function feelOne(
  { customers, set }: Fleet,
  { title, url, pids, nginxPids }: Deployment,
  { work, perSecond, seconds, during = async () => {} }: OpenLoad,
) {
  const groups = [pids(), nginxPids, set.pids()];
  const readCpu = () => groups.map((group) => group.map(cpuIfAlive));
  const before = readCpu();
  const load = new SteadyLoad({
    ...{ url, rate: perSecond, requests: again(callsFor(work, customers)) },
    ...{ connections: Number.POSITIVE_INFINITY, aloneEvery: Number.POSITIVE_INFINITY },
  });
  await Promise.all([during(), delay(1000 * seconds)]);
  await load.stop();
  const passed = load.elapsedMs() * 1000;
  const cpu = readCpu().map((group, place) =>
    group.map((now, index) => (now - (before[place]?.[index] ?? 0)) / passed),
  );
  const { p50, p99, p999, max, lateP99 } = load.takeLatency();
  const cells = [
    ...[perSecond.toFixed(0), title],
    ...[p50, p99, p999, max].map((value) => value.toFixed(1)),
    ...cpu.map(percents),
    lateP99.toFixed(1),
    `${errorsOf(load) || 'none'} of ${load.sent}`,
  ];
  return { p99, cells };
}

/** A process that was replaced meanwhile has no account any more. */
function cpuIfAlive(pid: number): number {
  try {
    return processMicroseconds(pid);
  } catch {
    return Number.NaN;
  }
}

const percents = (parts: readonly number[]) =>
  parts.map((part) => (Number.isNaN(part) ? '-' : `${(100 * part).toFixed(0)} %`)).join(', ');

/** Statuses of 400 and more, and failures of the connection. */
const errorsOf = ({ statuses }: SteadyLoad) =>
  Object.entries(statuses)
    .filter(([status]) => !(Number(status) < 400))
    .map(([status, times]) => `${times} x ${status}`)
    .join(', ');

/** The calls of all customers for each work, woven together as the work says. */
function callsFor({ of }: DeployedWork, customers: Customers): MixedRequest[] {
  const lists = of.map((work) =>
    callersOf(work, customers).flatMap((customer) =>
      callsOf(work, 'rest', customer).map((request) => ({ name: work.name, request, status: work.status })),
    ),
  );
  const count = Math.max(...lists.map(({ length }) => length));
  // A different customer for each, so that one user's calls are spread over time.
  return Array.from({ length: count }, (_, at) =>
    lists.flatMap((list, place) => list[(at + place * 97) % list.length] ?? []),
  ).flat();
}

function* again<Item>(items: readonly Item[]): Generator<Item> {
  for (;;) yield* items;
}
