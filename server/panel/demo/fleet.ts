/** The demo servers with their run states, and how the panel finds one. */
import type { Clock } from '../../../routers/ports.ts';
import { createConsole } from './console.ts';
import { notFound, suspended } from './errors.ts';
import { createRunState } from './run-state.ts';
import { demoServers } from './servers.ts';

export type Fleet = ReturnType<typeof createFleet>;

export function createFleet(clock: Clock) {
  const entries = demoServers.map((server) => {
    const run = createRunState(clock, server.isRunning);
    return { server, run, console: createConsole(run) };
  });

  function find(identifier: string | undefined) {
    const found = entries.find(({ server }) => [server.identifier, server.uuid].includes(identifier ?? ''));
    if (!found) throw notFound();
    return found;
  }

  return {
    find,
    /** A suspended server is refused with 409. */
    findUsable(identifier: string | undefined) {
      const found = find(identifier);
      if (found.server.isSuspended) throw suspended();
      return found;
    },
  };
}
