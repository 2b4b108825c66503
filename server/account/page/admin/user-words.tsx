/** How a user is named, and what of a user stands out. */
import type { ManagedUser } from '../api.ts';

/** Empty where there is no name. */
export const nameOf = ({ first_name, last_name, nickname }: ManagedUser): string =>
  [first_name, last_name].filter(Boolean).join(' ') || (nickname ?? '');

interface Props {
  user: ManagedUser;
}

/** In a list. */
export const UserBadges = ({ user, user: { panel_user_id } }: Props) => (
  <span class="item-head">
    <Exceptions user={user} />
    {panel_user_id !== null && <span class="badge">Panel user {panel_user_id}</span>}
  </span>
);

/** Of the user alone. */
export const StateBadges = ({ user, user: { active } }: Props) => (
  <span class="item-head">
    <Exceptions user={user} />
    {active && <span class="badge is-success">Active</span>}
  </span>
);

const Exceptions = ({ user: { admin, active } }: Props) => (
  <>
    {admin && <span class="badge is-accent">Administrator</span>}
    {!active && <span class="badge is-warning">Suspended</span>}
  </>
);
