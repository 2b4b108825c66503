/** The current state of every server and, for the list of servers, what they use and how many players are online. */
import type { Api, ServerState } from '../api.ts';
import { useQuery } from '../use-query.ts';
import { playersMs } from './players.tsx';

/** A short interval is cheap: the service answers from memory, and notices changes within seconds. */
const statesMs = 3000;

/**
 * Two requests show a list of any length: the service reads the panel once per server and 20 seconds, for states and
 * figures together.
 */
export function useStates(isList: boolean) {
  const { content: states, refresh } = useQuery((api) => readStates(api), { pace: () => statesMs });
  // A separate query: the number of players comes from the games, which answer more slowly.
  const { content: figures } = useQuery((api) => readStates(api, true), {
    isOn: isList,
    pace: () => (isList ? playersMs : null),
  });
  const known =
    states && new Map([...states].map(([id, state]) => [id, withFigures(state, figures?.get(id))]));
  return { states: known, refresh };
}

/** Figures from before a change of the state are left out. */
const withFigures = (now: ServerState, figures: ServerState | undefined): ServerState =>
  figures?.state === now.state ? { ...figures, ...now } : now;

async function readStates(api: Api, figures = false): Promise<Map<string, ServerState>> {
  const known = new Map<string, ServerState>();
  for (let after: string | undefined; ; ) {
    const { states, summary } = await api.servers.states.query({
      figures,
      ...(after !== undefined && { after }),
    });
    for (const state of states) known.set(state.server, state);
    after = states.at(-1)?.server;
    if (after === undefined || known.size >= summary.total) return known;
  }
}
