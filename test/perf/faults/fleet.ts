/** Processes of the service on one database, each on a port of its own that it keeps when it is started again. */
import { findFreePort } from '../../../server/embedded-database/free-port.ts';
import { startProgram, type TestProgram } from '../../support/program.ts';

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** Customers of a fleet are not limited, unless its settings say so. */
export async function startFleet(count: number, settings: Record<string, string>) {
  const start = (port: number) =>
    startProgram({ RATE_LIMIT_PER_MINUTE: '1000000', TICKETS_PER_DAY: '0', ...settings, PORT: String(port) });
  const members: { port: number; program: TestProgram }[] = [];
  while (members.length < count) {
    const port = await findFreePort();
    members.push({ port, program: await start(port) });
  }
  const killed: TestProgram[] = [];
  return {
    urls: members.map(({ program }) => program.url),
    async kill(index: number) {
      const program = members[index]?.program;
      if (!program) return;
      killed.push(program);
      await program.stop('SIGKILL');
    },
    async restart(index: number) {
      const member = members[index];
      if (member) member.program = await start(member.port);
    },
    /** What all have written to their logs, also those that were killed. */
    output: () =>
      [...killed, ...members.map(({ program }) => program)].map((each) => each.output()).join('\n'),
    async stop() {
      await Promise.all(members.map(({ program }) => program.stop()));
    },
  };
}
