/** The parts of the benchmark, each of which measures on a stage and returns what it found. */
import { canDo, createCell } from './cells.ts';
import { contenders, type ServerName } from './contenders.ts';
import { measure } from './measure.ts';
import type { Options } from './options.ts';
import type { People } from './people.ts';
import type { Measured } from './report.ts';
import type { RunningServer } from './servers.ts';
import type { Stage } from './stage.ts';
import { type Work, works } from './works.ts';

export interface Bench {
  stage: Stage;
  options: Options;
  people: People;
  say: (line: string) => void;
  serverOf(server: ServerName, isLimited: boolean): Promise<RunningServer>;
}

export const databaseName = 'bench';

/** Each server is started once, with the limit raised and, for the 429s, once more with a limit of one call. */
export function createServerOf(stage: Stage): Bench['serverOf'] {
  const started = new Map<string, Promise<RunningServer>>();
  return (server, isLimited) => {
    const name = `${server} ${isLimited}`;
    const running = started.get(name) ?? stage.start(server, databaseName, isLimited ? 1 : undefined);
    started.set(name, running);
    return running;
  };
}

/** All works, or those that were asked for, beside all contenders that can do them. */
export async function measureWorks(bench: Bench, connections: number, names: string[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  const { only, against } = bench.options;
  const among = contenders.filter(({ name }) => names.includes(name) && isWanted(name, against));
  for (const work of works.filter(({ name }) => !only || only.includes(name))) {
    bench.say(`${work.title}, ${connections} connections ...`);
    measured.push({ work, samples: await measureWork(bench, work, { among, connections }) });
  }
  return measured;
}

const isWanted = (name: string, against?: string[]) =>
  !against || name.startsWith('ours') || against.includes(name);

async function measureWork(
  bench: Bench,
  work: Work,
  { among, connections }: { among: typeof contenders; connections: number },
) {
  const parts = { ...bench, connections };
  const able = among.filter((contender) => canDo(contender, work));
  const cells = await Promise.all(able.map((contender) => createCell(contender, work, parts)));
  return measure(cells, effortOf(bench.options));
}

export const effortOf = ({ rounds, seconds, warmUp, quick }: Options) =>
  quick ? { rounds: 2, seconds: 1, warmUpCalls: 2000 } : { rounds, seconds, warmUpCalls: warmUp };
