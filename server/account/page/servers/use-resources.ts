/** Reads a server's state and usage for its page: more often after a power signal, and while it starts or stops. */
import { useEffect, useState } from 'preact/hooks';
import { type Api, describeFailure, type Resources } from '../api.ts';
import { useQuery } from '../use-query.ts';

const calmMs = 20_000;
const movingMs = 2000;

/** @param listedState the server's state in the list of states, which also shows changes that this page did not cause */
export function useResources(server_identifier: string, listedState: string | null) {
  const [followedUntil, setFollowedUntil] = useState(0);
  const isMoving = (known: Resources | null) =>
    followedUntil > 0 || ['starting', 'stopping'].includes(known?.state ?? '');
  const read = async (api: Api): Promise<Resources> => {
    if (Date.now() > followedUntil) setFollowedUntil(0);
    try {
      return (await api.servers.resources.query({ server_identifier })).resources;
    } catch (failure) {
      const { isSignedOut, message } = describeFailure(failure);
      if (isSignedOut) throw failure;
      return unknown(message);
    }
  };
  const { content: resources, reload } = useQuery(read, {
    pace: (known) => (isMoving(known) ? movingMs : calmMs),
  });
  useEffect(() => {
    const isChanged = resources !== null && listedState !== null && listedState !== resources.state;
    if (isChanged) void reload();
  }, [listedState]);
  // A server may take a minute to start or stop.
  const follow = () => setFollowedUntil(Date.now() + 60_000);
  return { resources, follow };
}

const unknown = (reason: string): Resources => ({
  state: 'unknown',
  reason,
  measured_at: '',
  memory_bytes: null,
  cpu_percent: null,
  disk_bytes: null,
  uptime_ms: null,
  network_rx_bytes: null,
  network_tx_bytes: null,
});
