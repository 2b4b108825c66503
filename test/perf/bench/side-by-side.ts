/** The works one after the other, each with all its contenders side by side. */
import type { Bench } from './bench.ts';
import { canDo, createCell } from './cells.ts';
import { type Comparison, ours } from './comparisons.ts';
import { type Contender, contenders } from './contenders.ts';
import { measure, type Round, type Sample, type Samples } from './measure.ts';
import type { Measured } from './report.ts';
import { proveSameAnswers } from './same-answers.ts';
import { spreadOf } from './statistics.ts';
import { type Work, works } from './works.ts';

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

const isWanted = ({ name, server }: Contender, { options: { against }, stage }: Bench) =>
  (!against || ours.includes(name) || against.includes(name)) &&
  (server !== 'trpc-to-mcp' || stage.hasTrpcToMcp());

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
  const cells = await Promise.all(
    processesOf(bench).flatMap((process) =>
      able
        .filter((contender) => process === 0 || !contender.isFarOff)
        .map((contender) => createCell(contender, work, { ...bench, connections, process })),
    ),
  );
  await proveSameAnswers(work, cells);
  return measure(cells, bench.effort);
}
