/** Processes of the service on one database, each on a port of its own that it keeps when it is started again. */
import { findFreePort } from '../../../server/embedded-database/free-port.ts';
import { startProgram, type TestProgram } from '../../support/program.ts';

/** Customers of a fleet are not limited, unless its settings say so. */
export async function startFleet(count: number, settings: Record<string, string>) {
  const start = async (port?: number) => {
    const unlimited = { RATE_LIMIT_PER_MINUTE: '1000000', TICKETS_PER_DAY: '0' };
    return startProgram({ ...unlimited, ...settings, PORT: String(port ?? (await findFreePort())) });
  };
  const programs: TestProgram[] = [];
  while (programs.length < count) programs.push(await start());
  const killed: TestProgram[] = [];
  return {
    urls: programs.map(({ url }) => url),
    async kill(index: number) {
      const [program] = programs.slice(index);
      await program?.stop('SIGKILL');
    },
    /** Starts one that was killed. */
    async restart(index: number) {
      const [program] = programs.slice(index);
      if (!program) return;
      killed.push(program);
      programs[index] = await start(Number(new URL(program.url).port));
    },
    /** What all have written to their logs, also those that were killed. */
    output: () => [...killed, ...programs].map((each) => each.output()).join('\n'),
    async stop() {
      await Promise.all(programs.map((program) => program.stop()));
    },
  };
}
