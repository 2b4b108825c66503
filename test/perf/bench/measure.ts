/**
 * Measures contenders side by side, with load by autocannon: in every round each of their processes has its turn, and every
 * other round the order is reversed.
 */

import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon, { type Options, type Request, type Result } from 'autocannon';
import { cpuMicroseconds, readOwnProcessors } from './machine.ts';
import type { Protocol } from './works.ts';

/** One process of a contender at one work, ready to be called. */
export interface Cell {
  /** The contender's. */
  name: string;
  protocol: Protocol;
  url: string;
  /** The processes whose CPU time the work costs. */
  pids: number[];
  calls: Request[];
  connections: number;
  /** The right answers. */
  statuses: number[];
}

export interface Sample {
  cpuMicroseconds: number;
  perSecond: number;
  /** The part of the time, 0 to 1, that the processors of load and MongoDB were busy. */
  loadBusy: number;
}

/** What a contender's processes did in a round, on average and each. */
export interface Round extends Sample {
  processes: Sample[];
}

/** The rounds of each contender, in their order. */
export type Samples = Map<string, Round[]>;

export interface Effort {
  rounds: number;
  /** Of each near contender. */
  processes: number;
  /** Of each turn. */
  seconds: number;
  warmUpCalls: number;
}

/** @param prepare is called before the load of each process */
export async function measure(
  cells: Cell[],
  { rounds, seconds, warmUpCalls }: Effort,
  prepare: () => Promise<unknown>,
): Promise<Samples> {
  const samples: Samples = new Map(cells.map(({ name }) => [name, []]));
  await prepare();
  await warmUp(cells, warmUpCalls);
  for (let round = 0; round < rounds; round += 1) {
    const taken = new Map<Cell, Sample>();
    for (const cell of round % 2 === 0 ? cells : cells.toReversed()) {
      await prepare();
      taken.set(cell, await measureOnce(cell, seconds));
    }
    for (const [name, earlier] of samples) {
      const own = cells.filter((cell) => cell.name === name);
      earlier.push(toRound(own.flatMap((cell) => taken.get(cell) ?? [])));
    }
  }
  return samples;
}

/** Over the connections that are measured, because calls that arrive one by one take other code paths. */
async function warmUp(cells: Cell[], calls: number): Promise<void> {
  const isOneByOne = cells.every(({ connections }) => connections === 1);
  // Most of such a call is waiting, so they need not wait for each other.
  const seconds = warmUpSecondsMax * cells.length;
  if (isOneByOne) await Promise.all(cells.map((cell) => warmUpOne(cell, { calls, seconds })));
  else for (const cell of cells) await warmUpOne(cell, { calls, seconds: warmUpSecondsMax });
}

/** For each process; slow ones get fewer calls, so that a run ends. */
export const warmUpSecondsMax = 5;

async function warmUpOne(cell: Cell, { calls, seconds }: { calls: number; seconds: number }): Promise<void> {
  const until = performance.now() + seconds * 1000;
  const step = Math.min(calls, 500);
  for (let sent = 0; sent < calls && performance.now() < until; sent += step)
    await sendLoad(cell, { answers: step });
}

function toRound(processes: Sample[]): Round {
  const mean = (read: (sample: Sample) => number) =>
    processes.reduce((sum, sample) => sum + read(sample), 0) / processes.length;
  return {
    cpuMicroseconds: mean((of) => of.cpuMicroseconds),
    perSecond: mean((of) => of.perSecond),
    loadBusy: mean((of) => of.loadBusy),
    processes,
  };
}

/**
 * Seconds of a turn that do not count. At first connections open and what had rested since the last turn wakes; at the
 * end connections fall silent one after the other.
 */
const runIn = 0.2;
const runOut = 0.1;

export async function measureOnce(cell: Cell, seconds: number): Promise<Sample> {
  let answers = 0;
  const onAnswer = () => {
    answers += 1;
  };
  const read = () => ({ at: performance.now(), cpu: cpuOf(cell), answers, own: readOwnProcessors() });
  const watch = async () => {
    await delay(runIn * 1000);
    const from = read();
    await delay(seconds * 1000);
    return { from, to: read() };
  };
  const load = sendLoad(cell, { seconds: runIn + seconds + runOut }, onAnswer);
  const [{ from, to }] = await Promise.all([watch(), load]);
  const counted = to.answers - from.answers;
  if (counted === 0) throw new Error(`${cell.url} gave no answer in ${seconds} s`);
  return {
    cpuMicroseconds: (to.cpu - from.cpu) / counted,
    perSecond: counted / ((to.at - from.at) / 1000),
    loadBusy: (to.own.busy - from.own.busy) / (to.own.had - from.own.had),
  };
}

const cpuOf = ({ pids }: Cell) => pids.reduce((total, pid) => total + cpuMicroseconds(pid), 0);

/** autocannon looks only so often whether its time is up. */
const sampleInt = 50;

/** Sends calls for a time, or until there are enough answers; throws when one is not as it should be. */
async function sendLoad(
  { url, calls, connections, statuses }: Cell,
  until: { seconds: number } | { answers: number },
  onAnswer = () => {},
): Promise<void> {
  let nextConnection = 0;
  const options: Options & { sampleInt: number } = {
    ...{ url, connections, sampleInt },
    ...('seconds' in until ? { duration: until.seconds } : { amount: Math.max(until.answers, connections) }),
    setupClient(client) {
      client.setRequests(everyNth(calls, nextConnection, connections));
      client.on('response', onAnswer);
      nextConnection += 1;
    },
  };
  proveRight(await autocannon(options), statuses);
}

function proveRight({ url, statusCodeStats = {}, errors }: Result, statuses: number[]): void {
  const seen = Object.entries(statusCodeStats).map(([code, { count = 0 }]) => ({
    code: Number(code),
    count,
  }));
  const isRight = errors === 0 && seen.length > 0 && seen.every(({ code }) => statuses.includes(code));
  if (isRight) return;
  const answers = seen.map(({ code, count }) => `${count} x ${code}`).join(', ');
  throw new Error(`${url} was to answer ${statuses}: ${answers}, ${errors} errors`);
}

/** Copies, because autocannon writes into the requests it is given. */
const everyNth = (calls: Request[], offset: number, step: number): Request[] =>
  calls.filter((_, index) => index % step === offset % calls.length).map((call) => ({ ...call }));
