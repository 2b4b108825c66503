/** What a server does and uses, asked again while it is on the screen, and more often after a power signal or on its way. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { describeFailure, type Resources } from '../api.ts';
import { useShell } from '../shell.ts';
import { usePolling } from '../use-polling.ts';

const calmMs = 20_000;
const movingMs = 2000;
/** How long a server may take to start or stop. */
const movingMsMax = 60_000;

/** @param told the state that is known from elsewhere, perhaps of a signal that this page did not send */
export function useResources(server_identifier: string, told: string | null) {
  const { api } = useShell();
  const { element, isSeen } = useSeen<HTMLLIElement>();
  const [resources, setResources] = useState<Resources | null>(null);
  const [followedUntil, setFollowedUntil] = useState(0);
  const load = useCallback(async () => {
    const request = { server_identifier };
    try {
      setResources((await api.servers.resources.query(request)).resources);
    } catch (failure) {
      if (describeFailure(failure).isSignedOut) throw failure;
      setResources(unknown(describeFailure(failure).message));
    }
    if (Date.now() > followedUntil) setFollowedUntil(0);
  }, [api, server_identifier, followedUntil]);
  useEffect(() => {
    if (isSeen) void load().catch(() => {}); // the end of the session shows at the next poll
  }, [isSeen]);
  useEffect(() => {
    const isChanged = resources !== null && told !== null && told !== resources.state;
    if (isSeen && isChanged) void load().catch(() => {});
  }, [told]);
  const isMoving = followedUntil > 0 || ['starting', 'stopping'].includes(resources?.state ?? '');
  usePolling(load, isSeen ? (isMoving ? movingMs : calmMs) : null);
  const follow = () => setFollowedUntil(Date.now() + movingMsMax);
  return { element, resources, follow };
}

const unknown = (reason: string): Resources => ({
  ...{ state: 'unknown', reason, measured_at: '' },
  ...{ memory_bytes: null, cpu_percent: null, disk_bytes: null, uptime_ms: null },
  ...{ network_rx_bytes: null, network_tx_bytes: null },
});

/** Whether any of an element is on the screen. */
function useSeen<Seen extends Element>() {
  const element = useRef<Seen>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => setSeen(entries.at(-1)?.isIntersecting ?? false));
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return { element, isSeen };
}
