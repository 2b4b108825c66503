/** Who plays on a server, as its game answers while it runs. */
import type { Players, ServerState } from '../api.ts';
import { useQuery } from '../use-query.ts';

/** A game is asked no more often. */
export const playersMs = 20_000;

/** How many play, and how many may; null where it is not known. */
export type PlayerCounts = Pick<Players, 'online' | 'max'>;

/** Unknown while the server does not run: what is kept may be older. */
export const playersIn = (now: ServerState | undefined): PlayerCounts => {
  const { players_online = null, players_max = null } = now?.state === 'running' ? now : {};
  return { online: players_online, max: players_max };
};

/** Null until they are known, and while it does not run. */
export function usePlayers(server_identifier: string, isRunning: boolean): Players | null {
  const { content } = useQuery((api) => api.servers.players.query({ server_identifier }), {
    isOn: isRunning,
    pace: () => (isRunning ? playersMs : null),
  });
  return isRunning && content ? content.players : null;
}

/** Their names, or why it is unknown how many play. */
export function WhoPlays({ players: { names, reason } }: { players: Players }) {
  if (reason !== null) return <p class="note">Who plays is not known. {reason}</p>;
  if (!names?.length) return null;
  return (
    <ul class="tags" aria-label="Players">
      {names.map((name, index) => (
        <li key={index} dir="auto" translate={false}>
          {name}
        </li>
      ))}
    </ul>
  );
}
