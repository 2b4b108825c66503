/** All users, with a search, and the page of each user: what it has, and the actions of an administrator. */
import type { Api, ListedUser, ManagedUser } from '../api.ts';
import { SearchForm, Segments } from '../controls.tsx';
import { Facts, Item } from '../item.tsx';
import { ListView } from '../list-view.tsx';
import { useShell } from '../shell.ts';
import { withNames } from '../text.tsx';
import { Time } from '../time.tsx';
import { onReturn, useQuery } from '../use-query.ts';
import { ResourceView, useTitle, View } from '../view.tsx';
import { Actions, AdminList, type Opener, useOpener } from './admin-list.tsx';
import { ItemDialog } from './item-dialog.tsx';
import { UserParts } from './user-parts.tsx';

const states = [
  { name: 'all', label: 'All' },
  { name: 'active', label: 'Active' },
  { name: 'suspended', label: 'Suspended' },
] as const;

export interface UserFilter {
  /** A part of the e-mail address, the external id or a name; empty for all users. */
  search: string;
  state: (typeof states)[number]['name'];
}

export const everyUser: UserFilter = { search: '', state: 'all' };

const pageSize = 50;

const readUsers =
  ({ search, state }: UserFilter) =>
  async (api: Api, last?: ListedUser) => {
    const { users, has_more } = await api.admin.listUsers.query({
      ...(search && { search }),
      ...(state !== 'all' && { active: state === 'active' }),
      ...(last && { after: last.id }),
      limit: pageSize,
    });
    return { items: users, hasMore: has_more };
  };

type ListProps = { filter: UserFilter; onFilter(filter: UserFilter): void; lastId: number | null };

/** @param lastId the user whose page was open before the list; its row gets the focus */
export const UsersView = ({ filter, onFilter, lastId }: ListProps) => (
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
          request="admin.listUsers"
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
          Try another search. New users come from your panel or your billing system:{' '}
          <a href="/api/v1/docs#operations-tag-Admin">operations for your programs</a>
        </>
      ),
    }}
    item={(user) => <UserRow key={user.id} user={user} />}
  />
);

const UserRow = ({ user }: { user: ListedUser }) => (
  <li class="item is-link" tabIndex={-1}>
    <a href={`#admin/user-${user.id}`} dir="auto">
      {user.email}
    </a>
    <UserBadges user={user} isSupport={user.support} />
    <span class="note" dir="auto">
      {nameOf(user)}
    </span>
  </li>
);

const nameOf = ({ first_name, last_name, nickname }: ManagedUser): string =>
  [first_name, last_name].filter(Boolean).join(' ') || (nickname ?? '');

type Props = { user: ManagedUser };

type BadgesProps = Props & { isSupport: boolean; isAlone?: boolean };

const UserBadges = ({ user, isSupport, isAlone = false }: BadgesProps) => (
  <>
    {user.admin && <span class="badge is-accent">Administrator</span>}
    {isSupport && <span class="badge is-accent">Support</span>}
    {!user.active && <span class="badge is-warning">Suspended</span>}
    {isAlone && user.active && <span class="badge is-success">Active</span>}
    {!isAlone && user.panel_user_id !== null && <span class="badge">Panel user {user.panel_user_id}</span>}
  </>
);

/** Some users have no external id. The API accepts `~` and the user's id in its place. */
const nameInApi = (id: number) => ({ external_id: `~${id}` });

async function readUser(api: Api, id: number) {
  const [{ user }, details] = await Promise.all([
    api.admin.getUser.query(nameInApi(id)),
    api.admin.getUserDetails.query({ user_id: id }),
  ]);
  return { user, details };
}

export function UserView({ id }: { id: number }) {
  const query = useQuery((api) => readUser(api, id), onReturn);
  useTitle(query.content?.user.email ?? `User ${id}`);
  return (
    <ResourceView of={query} placeholder={<main class="main" aria-busy="true" />}>
      {({ user, details }) => (
        <View
          above={<a href="#admin/users">All users</a>}
          title={<bdi>{user.email}</bdi>}
          lede={
            <span class="item-head">
              <UserBadges user={user} isSupport={details.support} isAlone />
            </span>
          }
        >
          <div class="panel connection">
            <Facts
              of={{
                Name: <bdi>{nameOf(user) || '–'}</bdi>,
                'Id in your system': <bdi>{user.external_id ?? '–'}</bdi>,
                'Panel user': user.panel_user_id ?? '–',
                'Second factor': user.has_second_factor ? 'Yes' : 'No',
                'User since': <Time iso={user.created_at} />,
                'Last sign-in': details.last_sign_in_at ? (
                  <Time iso={details.last_sign_in_at} isRelative />
                ) : (
                  '–'
                ),
              }}
            />
          </div>
          <UserActions user={user} onChanged={query.reload} />
          <UserServers user={user} />
          <UserParts of={details} />
        </View>
      )}
    </ResourceView>
  );
}

function UserActions({ user, onChanged }: Props & Pick<Opener, 'onChanged'>) {
  const { settings } = useShell();
  const { dialog, show, ask } = useOpener(onChanged);
  if (user.admin) return <p class="note">You can change administrators only on the command line.</p>;
  const { active, email: about } = user;
  const toggle = active
    ? ({ icon: 'stop', label: 'Suspend', isDangerous: true } as const)
    : ({ icon: 'play', label: 'Resume' } as const);
  return (
    <div class="actions">
      <Actions
        of={[
          settings.mail &&
            active && { icon: 'mail', label: 'Invite', about, onAct: () => ask(toInvite(user)) },
          {
            icon: 'plug',
            label: 'Change the panel user',
            about: `of ${about}`,
            onAct: () => show(<PanelUserDialog {...{ user, onChanged }} />),
          },
          { ...toggle, about, onAct: () => ask(active ? toSuspend(user) : toResume(user)) },
        ]}
      />
      {dialog}
    </div>
  );
}

const toInvite = ({ id, email }: ManagedUser) => ({
  title: withNames`Invite ${email}?`,
  text: 'The user gets a mail with a sign-in link that works once, within seven days. The page asks a user without a password to set one.',
  verb: 'Send the invitation',
  act: (api: Api) => api.admin.inviteUser.mutate(nameInApi(id)),
  done: withNames`An invitation to ${email} is on its way.`,
});

const toSuspend = ({ id, email }: ManagedUser) => ({
  title: withNames`Suspend ${email}?`,
  text: 'All keys and apps of the user are refused and all sessions end at once. If you resume the user, the same keys and apps work again. The servers keep running.',
  verb: 'Suspend user',
  isDangerous: true,
  act: (api: Api) => api.admin.putUser.mutate({ ...nameInApi(id), active: false }),
  done: withNames`${email} is suspended.`,
});

const toResume = ({ id, email }: ManagedUser) => ({
  title: withNames`Resume ${email}?`,
  text: 'The user can sign in again, and the same keys and apps work again.',
  verb: 'Resume user',
  act: (api: Api) => api.admin.putUser.mutate({ ...nameInApi(id), active: true }),
  done: withNames`${email} is active again.`,
});

const panelUserField = {
  name: 'panel_user_id',
  label: 'Id of the panel user',
  hint: 'The number that the panel shows in its list of users. Leave it empty for none.',
  wrong: 'Enter a whole number from 1, or leave it empty.',
  inputMode: 'numeric',
  read: (text: string) => (text.trim() === '' ? null : Number(text)),
} as const;

function PanelUserDialog({ user, onChanged }: Props & Pick<Opener, 'onChanged'>) {
  const { id, email, panel_user_id } = user;
  return (
    <ItemDialog
      opened={{ panel_user_id }}
      read={async (api) => {
        const { panel_user_id } = (await api.admin.getUser.query(nameInApi(id))).user;
        return { panel_user_id };
      }}
      title={() => withNames`Panel user of ${email}`}
      label="Save"
      request="admin.putUser"
      fields={[panelUserField]}
      onChanged={onChanged}
      save={async (api, { panel_user_id }) => {
        await api.admin.putUser.mutate({ ...nameInApi(id), panel_user_id });
        return panel_user_id === null
          ? withNames`${email} has no panel user now.`
          : withNames`${email} has the servers of panel user ${String(panel_user_id)}.`;
      }}
    />
  );
}

function UserServers({ user: { id, panel_user_id } }: Props) {
  const query = useQuery((api) => api.admin.listUserServers.query(nameInApi(id)), { of: panel_user_id });
  return (
    <section class="stack">
      <h2>Servers</h2>
      <ListView
        query={query}
        items={({ servers }) => servers}
        label="Servers"
        blank="No servers in the panel."
        item={({ identifier, name, is_suspended, panel_url }) => (
          <Item
            key={identifier}
            isLine
            title={name}
            about={
              <>
                <code class="note">{identifier}</code>
                {is_suspended && <span class="badge is-warning">suspended</span>}
                {panel_url && (
                  <a href={panel_url} target="_blank" rel="noreferrer">
                    In the panel<span class="visually-hidden">, in a new tab</span>
                  </a>
                )}
              </>
            }
          />
        )}
      />
    </section>
  );
}
