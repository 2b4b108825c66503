/** How a user is named, and what of a user stands out. */
import type { ManagedUser } from '../api.ts';

/** Empty where there is no name. */
export const nameOf = ({ first_name, last_name, nickname }: ManagedUser): string =>
  [first_name, last_name].filter(Boolean).join(' ') || (nickname ?? '');

export const UserBadges = ({ user: { admin, active, panel_user_id } }: { user: ManagedUser }) => (
  <span class="badges">
    {admin && <span class="badge is-accent">Administrator</span>}
    {!active && <span class="badge is-warning">Suspended</span>}
    {panel_user_id !== null && <span class="badge">Panel user {panel_user_id}</span>}
  </span>
);
