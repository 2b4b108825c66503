/** The user's sessions; one or all others can be ended. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { OwnSession } from './api.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './form.tsx';
import { useAction, useShell } from './shell.ts';
import { Time } from './time.tsx';

function useSessions() {
  const { api } = useShell();
  const { failure, isBusy, run } = useAction();
  const [sessions, setSessions] = useState<OwnSession[]>([]);
  const reload = useCallback(async () => setSessions((await api.sessions.list.query()).sessions), [api]);
  useEffect(() => void run(reload), [reload]);
  const change = async (end: () => Promise<unknown>) => {
    if (isBusy) return;
    await run(async () => {
      await end();
      await reload();
    });
  };
  const { end, endOthers } = api.sessions;
  return {
    ...{ sessions, failure, isBusy },
    end: (id: string) => change(() => end.mutate({ id })),
    endOthers: () => change(() => endOthers.mutate()),
  };
}

export function SessionsDialog({ onClose }: { onClose: () => void }) {
  const { sessions, failure, isBusy, end, endOthers } = useSessions();
  return (
    <Dialog title="Your sessions" onClose={onClose}>
      <div role="alert">{failure && <Problem text={failure} />}</div>
      <ul class="panel" aria-label="Sessions">
        {sessions.map((session) => (
          <SessionItem key={session.id} item={session} isBusy={isBusy} onEnd={() => end(session.id)} />
        ))}
      </ul>
      {sessions.length > 1 && (
        <div class="form-actions">
          <button type="button" class="button is-danger" aria-disabled={isBusy} onClick={endOthers}>
            Sign out all others
          </button>
        </div>
      )}
    </Dialog>
  );
}

interface ItemProps {
  item: OwnSession;
  isBusy: boolean;
  onEnd(): void;
}

function SessionItem({ item, isBusy, onEnd }: ItemProps) {
  const device = item.device ?? 'Unknown device';
  return (
    <li class="session">
      <span class="session-device">{device}</span>
      <span class="note">
        Last seen <Time iso={item.last_seen_at} isRelative />
      </span>
      {item.is_current ? (
        <span class="badge">This one</span>
      ) : (
        <button
          type="button"
          class="button is-small"
          aria-label={`Sign out ${device}`}
          aria-disabled={isBusy}
          onClick={onEnd}
        >
          Sign out
        </button>
      )}
    </li>
  );
}
