/** The players on a server, as its game reports them while it runs. */
import type { Players, ServerState } from '../api.ts';
import { useQuery } from '../use-query.ts';

/** The service queries a game at most this often. */
export const playersMs = 20_000;

/** Each count is null if it is unknown. */
export type PlayerCounts = Pick<Players, 'online' | 'max'>;

/** The counts are null unless the server runs, because they may be older than its state. */
export const playersIn = (now: ServerState | undefined): PlayerCounts => {
  const { players_online = null, players_max = null } = now?.state === 'running' ? now : {};
  return { online: players_online, max: players_max };
};

/** `players` is null until they are known, and while the server does not run. The maximum stays known after a stop. */
export function usePlayers(server_identifier: string, isRunning: boolean) {
  const { content } = useQuery((api) => api.servers.players.query({ server_identifier }), {
    isOn: isRunning,
    pace: () => (isRunning ? playersMs : null),
  });
  return { players: isRunning && content ? content.players : null, max: content?.players.max ?? null };
}

export function WhoPlays({ players: { names, reason } }: { players: Players }) {
  if (reason !== null) return <p class="note">The players are not known. {reason}</p>;
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
