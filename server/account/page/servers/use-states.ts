/** The states of all servers, in one call for each hundred of them, asked again while the page is shown. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Api, ServerState } from '../api.ts';
import { useShell } from '../shell.ts';
import { usePolling } from '../use-polling.ts';

/** The service knows of a change within seconds, and answers the calls between from what it knows. */
const everyMs = 3000;

/** By the servers' identifiers; null until they are known. What fails is asked again, and the last known stay. */
export function useStates(): Map<string, ServerState> | null {
  const { api } = useShell();
  const [states, setStates] = useState<Map<string, ServerState> | null>(null);
  const load = useCallback(async () => setStates(await readStates(api)), [api]);
  useEffect(() => void load().catch(() => {}), [load]);
  usePolling(load, everyMs);
  return states;
}

async function readStates(api: Api): Promise<Map<string, ServerState>> {
  const known = new Map<string, ServerState>();
  for (let after: string | undefined; ; ) {
    const { states, summary } = await api.servers.states.query(after === undefined ? {} : { after });
    for (const state of states) known.set(state.server, state);
    after = states.at(-1)?.server;
    if (after === undefined || known.size >= summary.total) return known;
  }
}
