/** Processes of the service on one database, each with its own port, which it keeps after a restart. */
import { findFreePort } from '../../../server/embedded-database/free-port.ts';
import { startProgram, type TestProgram } from '../../support/program.ts';

/** A fleet does not limit customers unless its settings do. */
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
    async restart(index: number) {
      const [program] = programs.slice(index);
      if (!program) return;
      killed.push(program);
      programs[index] = await start(Number(new URL(program.url).port));
    },
    /** The logs of all processes, including killed ones. */
    output: () => [...killed, ...programs].map((each) => each.output()).join('\n'),
    async stop() {
      await Promise.all(programs.map((program) => program.stop()));
    },
  };
}
