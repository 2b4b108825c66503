/** All users, a page at a time, with a search. */
import type { Api, ManagedUser } from '../api.ts';
import { Segments } from '../button.tsx';
import { useKeptFocus } from '../focus.ts';
import { PagedList, ResourceView } from '../resource-view.tsx';
import { SearchForm } from '../search-form.tsx';
import { type Page, usePages } from '../use-pages.ts';
import { Blank, View } from '../view.tsx';
import { nameOf, UserBadges } from './user-words.tsx';

export interface UserFilter {
  /** In the e-mail address, the external id or a name; empty: everybody. */
  search: string;
  state: 'all' | 'active' | 'suspended';
}

export const everyUser: UserFilter = { search: '', state: 'all' };

interface Props {
  filter: UserFilter;
  onFilter(filter: UserFilter): void;
}

interface ViewProps extends Props {
  /** The user who was shown before the list. */
  lastId: number | null;
}

export function UsersView({ filter, onFilter, lastId }: ViewProps) {
  const pages = usePages((api, last?: ManagedUser) => readUsers(api, filter, last), { of: filter });
  const users = pages.content?.items;
  useKeptFocus(users, () => document.querySelector(`a[href="#admin/user-${lastId}"]`));
  return (
    <View title="Users" lede="All customers and staff.">
      <UserFilterBar {...{ filter, onFilter }} />
      <ResourceView of={pages}>
        {({ items }) =>
          items.length === 0 ? (
            <NoUsers />
          ) : (
            <PagedList of={pages} class="panel" label="Users" more="Show more users">
              {(user) => <UserRow key={user.id} user={user} />}
            </PagedList>
          )
        }
      </ResourceView>
    </View>
  );
}

const pageSize = 50;

async function readUsers(
  api: Api,
  { search, state }: UserFilter,
  last?: ManagedUser,
): Promise<Page<ManagedUser>> {
  const { users, has_more } = await api.admin.listUsers.query({
    ...(search && { search }),
    ...(state !== 'all' && { active: state === 'active' }),
    ...(last && { after: last.id }),
    limit: pageSize,
  });
  return { items: users, hasMore: has_more };
}

const states = [
  { name: 'all', label: 'All' },
  { name: 'active', label: 'Active' },
  { name: 'suspended', label: 'Suspended' },
] as const;

const UserFilterBar = ({ filter, onFilter }: Props) => (
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
);

const UserRow = ({ user }: { user: ManagedUser }) => (
  <li class="item is-link" tabIndex={-1}>
    <a href={`#admin/user-${user.id}`} dir="auto">
      {user.email}
    </a>
    <span class="note" dir="auto">
      {nameOf(user)}
    </span>
    <UserBadges user={user} />
  </li>
);

const NoUsers = () => (
  <Blank
    icon="users"
    title="No user matches"
    text={
      <>
        Users come from your panel or your billing system:{' '}
        <a href="/api/v1/docs#operations-tag-Admin">operations for your programs</a>
      </>
    }
  />
);
