/** The user's sessions; one or all others can be ended. */
import type { Api, OwnSession } from './api.ts';
import { ActionButton } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FailureNotice } from './form.tsx';
import { Item } from './item.tsx';
import { Time } from './time.tsx';
import { useQuery } from './use-query.ts';

const unknownDevice = 'Unknown device';

const readSessions = async (api: Api) => (await api.sessions.list.query()).sessions;

export function SessionsDialog() {
  const query = useQuery(readSessions);
  const { isBusy } = query;
  const sessions = query.content ?? [];
  const change = async (end: (api: Api) => Promise<unknown>) => {
    if (isBusy) return;
    await query.load(async (api) => {
      await end(api);
      return readSessions(api);
    });
  };
  const endOthers = () => change((api) => api.sessions.endOthers.mutate());
  return (
    <Dialog title="Your sessions">
      <FailureNotice of={query} />
      <ul class="panel" aria-label="Sessions">
        {sessions.map((session) => (
          <SessionItem
            key={session.id}
            {...session}
            isBusy={isBusy}
            onEnd={() => change((api) => api.sessions.end.mutate({ id: session.id }))}
          />
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

const SessionItem = ({
  device,
  last_seen_at,
  is_current,
  ...end
}: OwnSession & { isBusy: boolean; onEnd(): void }) => (
  <Item
    isLine
    title={device ?? unknownDevice}
    about={
      <span class="note">
        Last seen <Time iso={last_seen_at} isRelative />
      </span>
    }
    actions={
      is_current ? (
        <span class="badge">This one</span>
      ) : (
        <ActionButton
          label="Sign out"
          about={device ?? unknownDevice}
          isBusy={end.isBusy}
          onAct={end.onEnd}
        />
      )
    }
  />
);
