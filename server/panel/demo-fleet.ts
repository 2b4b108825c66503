/** The demo servers, each with its run state, and the rules by which the panel lets one be found. */
import type { Clock } from '../../routers/ports.ts';
import { notFound, suspended } from './demo-refusals.ts';
import { createRunState } from './demo-run-state.ts';
import { demoServers } from './demo-servers.ts';

export type Fleet = ReturnType<typeof createFleet>;

export function createFleet(clock: Clock) {
  const members = demoServers.map((server) => ({ server, run: createRunState(clock, server.isRunning) }));

  function find(identifier: string | undefined) {
    const found = members.find(({ server }) => [server.identifier, server.uuid].includes(identifier ?? ''));
    if (!found) throw notFound();
    return found;
  }

  return {
    find,
    /** A suspended server can be seen, but not used. */
    findUsable(identifier: string | undefined) {
      const found = find(identifier);
      if (found.server.isSuspended) throw suspended();
      return found;
    },
  };
}
