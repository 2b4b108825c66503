/** All users, a page at a time, with a search. */
import type { Api, ManagedUser } from '../api.ts';
import { Segments } from '../button.tsx';
import { SearchForm } from '../search-form.tsx';
import { AdminList } from './admin-list.tsx';
import { nameOf, UserBadges } from './user.tsx';

const states = [
  { name: 'all', label: 'All' },
  { name: 'active', label: 'Active' },
  { name: 'suspended', label: 'Suspended' },
] as const;

export interface UserFilter {
  /** In the e-mail address, the external id or a name; empty: everybody. */
  search: string;
  state: (typeof states)[number]['name'];
}

export const everyUser: UserFilter = { search: '', state: 'all' };

const pageSize = 50;

const readUsers =
  ({ search, state }: UserFilter) =>
  async (api: Api, last?: ManagedUser) => {
    const { users, has_more } = await api.admin.listUsers.query({
      ...(search && { search }),
      ...(state !== 'all' && { active: state === 'active' }),
      ...(last && { after: last.id }),
      limit: pageSize,
    });
    return { items: users, hasMore: has_more };
  };

interface Props {
  filter: UserFilter;
  onFilter(filter: UserFilter): void;
  /** The user who was shown before the list. */
  lastId: number | null;
}

export const UsersView = ({ filter, onFilter, lastId }: Props) => (
  <AdminList
    title="Users"
    lede="All customers and staff."
    bar={
      <div class="desk-filter">
        <Segments
          label="Which users"
          segments={states}
          chosen={filter.state}
          onChoose={(state) => onFilter({ ...filter, state })}
        />
        <SearchForm
          hint="E-mail, name or id"
          label="Search by a part of the e-mail address, the name or the external id"
          value={filter.search}
          onSearch={(search) => onFilter({ ...filter, search })}
        />
      </div>
    }
    read={readUsers(filter)}
    of={filter}
    label="Users"
    more="Show more users"
    findFocus={() => document.querySelector(`a[href="#admin/user-${lastId}"]`)}
    blank={{
      icon: 'users',
      title: 'No user matches',
      text: (
        <>
          Users come from your panel or your billing system:{' '}
          <a href="/api/v1/docs#operations-tag-Admin">operations for your programs</a>
        </>
      ),
    }}
  >
    {(user) => (
      <li key={user.id} class="item is-link" tabIndex={-1}>
        <a href={`#admin/user-${user.id}`} dir="auto">
          {user.email}
        </a>
        <span class="note" dir="auto">
          {nameOf(user)}
        </span>
        <UserBadges user={user} />
      </li>
    )}
  </AdminList>
);
