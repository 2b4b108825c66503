/** What a server does now, in a word. */
import type { Server } from '../api.ts';

type Condition = Pick<Server, 'is_suspended'> & Partial<Pick<Server, 'status'>>;

/** What is unusual with a server, in the panel's own word, made readable; null: nothing. */
export const conditionOf = ({ is_suspended, status }: Condition) =>
  is_suspended ? 'suspended' : (status?.replaceAll('_', ' ') ?? null);

interface Props {
  server: Condition;
  /** Null until it is known. */
  state: string | null;
}

export function StateBadge({ server, state }: Props) {
  const condition = conditionOf(server);
  if (condition) return <span class="badge is-warning">{condition}</span>;
  if (state === null) return <span class="badge">…</span>;
  return (
    <span class={state === 'running' ? 'badge is-success' : 'badge'} role="status">
      {state}
    </span>
  );
}
