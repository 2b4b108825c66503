/** The works one after the other, each with all its contenders side by side, which must give the same response first. */
import type { Request } from 'autocannon';
import { proveSameAnswers } from './answers.ts';
import type { Bench } from './bench.ts';
import { type Comparison, type Contender, contenders, ours } from './contenders.ts';
import { type Customer, type Customers, unknownCallers } from './customers.ts';
import type { RunningServer } from './environment.ts';
import { type Cell, measure, type Round, type Sample, type Samples } from './measure.ts';
import { type Measured, spreadOf } from './report.ts';
import { callsOf, type Protocol, speaks, statusOf, type Work, works } from './works.ts';

/** Measures all works, or the selected ones, for every contender that the comparisons name. */
export async function measureSideBySide(
  bench: Bench,
  { comparisons, connections }: { comparisons: Comparison[]; connections: number },
): Promise<Measured[]> {
  const named = new Set(comparisons.flatMap(({ subject, against }) => [subject, against]));
  const among = contenders.filter((contender) => named.has(contender.name) && isWanted(contender, bench));
  const measured: Measured[] = [];
  for (const work of wantedWorks(bench)) {
    const able = among.filter((contender) => canDo(contender, work));
    if (able.length < 2) continue;
    bench.say(`${work.title}, ${connections} connections ...`);
    const samples = await measureWork(bench, work, { able, connections });
    bench.say(inShort(samples));
    measured.push({ work, samples });
  }
  return measured;
}

export const wantedWorks = ({ options: { only } }: Bench): Work[] =>
  works.filter(({ name }) => !only || only.includes(name));

const isWanted = ({ name }: Contender, { options: { against } }: Bench) =>
  !against || ours.includes(name) || against.includes(name);

/** The numbers of a contender's processes, where it has several. */
export const processesOf = ({ effort: { processes } }: Bench): number[] =>
  Array.from({ length: processes }, (_, process) => process);

/** CPU microseconds an answer, of all processes and, where there are several, of each, for the progress output. */
const inShort = (samples: Samples) =>
  [...samples].map(([name, rounds]) => `  ${name} ${medianCpuOf(rounds)}${ofEach(rounds)}`).join('');

function ofEach(rounds: Round[]): string {
  const [{ processes } = { processes: [] }] = rounds;
  if (processes.length < 2) return '';
  const each = processes.map((_, process) =>
    medianCpuOf(rounds.flatMap((round) => round.processes[process] ?? [])),
  );
  return ` (${each.join(', ')})`;
}

const medianCpuOf = (samples: Sample[]) =>
  Math.round(spreadOf(samples.map((sample) => sample.cpuMicroseconds)).median);

async function measureWork(
  bench: Bench,
  work: Work,
  { able, connections }: { able: Contender[]; connections: number },
): Promise<Samples> {
  const { servers, customers } = bench;
  const isLimited = work.status === 429;
  const openCell = async (contender: Contender, process: number) =>
    cellOf(work, {
      ...{ ...contender, customers, connections },
      servers: await servers.of(contender, { process, isLimited }),
    });
  const cells = await Promise.all(
    processesOf(bench).flatMap((process) =>
      able
        .filter((contender) => process === 0 || !contender.isFarOff)
        .map((contender) => openCell(contender, process)),
    ),
  );
  await proveSameAnswers(work, cells);
  return measure(cells, bench.effort, bench.environment.closeNewTickets);
}

const canDo = ({ protocol, works, lacks = [] }: Contender, work: Work): boolean =>
  speaks(work, protocol) && (works?.includes(work.name) ?? !lacks.includes(work.name));

interface Called {
  name: string;
  protocol: Protocol;
  /** The one that is called, and those that it calls itself. */
  servers: RunningServer[];
  customers: Customers;
  connections: number;
}

/** The calls of a work to a running server. */
export const cellOf = (work: Work, called: Called): Cell => ({
  ...{ name: called.name, protocol: called.protocol, connections: called.connections },
  url: called.servers[0]?.url ?? '',
  pids: called.servers.map(({ pid }) => pid),
  calls: allCalls(work, called.protocol, called.customers),
  statuses: [statusOf(work, called.protocol), ...(work.status === 429 ? [200] : [])],
});

/** The first calls of all callers, then the second ones: no two calls of one key come close to each other. */
function allCalls(work: Work, protocol: Protocol, customers: Customers): Request[] {
  const callsOfEach = callersOf(work, customers).map((customer) => callsOf(work, protocol, customer));
  const most = Math.max(...callsOfEach.map(({ length }) => length));
  const places = Array.from({ length: most }, (_, place) => place);
  return places.flatMap((place) => callsOfEach.flatMap((calls) => calls[place] ?? []));
}

export function callersOf({ who, keysMax }: Work, customers: Customers): Customer[] {
  const callers = who === 'unknown' ? unknownCallers(customers.readers.length) : customers[who];
  return callers.slice(0, keysMax);
}
