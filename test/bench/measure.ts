/** Measures contenders side by side: in every round each has its turn, and every other round the order is turned round. */
import type { Request } from 'autocannon';
import type { Tongue } from './calls.ts';
import { cpuMicroseconds } from './cpu.ts';
import { sendLoad } from './load.ts';

/** One contender at one work, ready to be called. */
export interface Cell {
  name: string;
  tongue: Tongue;
  url: string;
  /** The processes whose CPU time the work costs. */
  pids: number[];
  calls: Request[];
  connections: number;
  statuses: number[];
}

export interface Sample {
  cpuMicroseconds: number;
  perSecond: number;
  latency99: number;
}

/** A contender's samples, one for each round, in their order. */
export type Samples = Map<string, Sample[]>;

export interface Effort {
  rounds: number;
  seconds: number;
  warmUpCalls: number;
}

/** Also for what is then measured at one connection, where so many calls would take minutes. */
const warmUpConnections = 32;

/** A part of them is made once more over the connections that count: calls that come one by one take ways of their own. */
const ownShare = 1 / 4;

export async function measure(cells: Cell[], { rounds, seconds, warmUpCalls }: Effort): Promise<Samples> {
  const samples: Samples = new Map(cells.map(({ name }) => [name, []]));
  for (const cell of cells) {
    await sendLoad({ ...cell, connections: warmUpConnections }, { answers: warmUpCalls });
    if (cell.connections !== warmUpConnections)
      await sendLoad(cell, { answers: Math.ceil(warmUpCalls * ownShare) });
  }
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? cells : cells.toReversed();
    for (const cell of order) samples.get(cell.name)?.push(await measureOnce(cell, seconds));
  }
  return samples;
}

async function measureOnce(cell: Cell, seconds: number): Promise<Sample> {
  const before = cpuOf(cell);
  const result = await sendLoad(cell, { seconds });
  return {
    cpuMicroseconds: (cpuOf(cell) - before) / result.answers,
    perSecond: result.answers / result.seconds,
    latency99: result.latency99,
  };
}

const cpuOf = ({ pids }: Cell) => pids.reduce((total, pid) => total + cpuMicroseconds(pid), 0);
