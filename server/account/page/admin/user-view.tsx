/** A user: who it is, the servers, and what an administrator can do with it. */
import type { ManagedUser, Server } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { useDialog } from '../dialog.tsx';
import { Facts, Item, List } from '../item.tsx';
import { ResourceView } from '../resource-view.tsx';
import { useShell } from '../shell.ts';
import { Time } from '../time.tsx';
import { onReturn, useQuery } from '../use-query.ts';
import { useTitle } from '../use-title.ts';
import { View } from '../view.tsx';
import { InviteDialog, PanelUserDialog, ResumeDialog, SuspendDialog } from './user-dialogs.tsx';
import { nameOf, StateBadges } from './user-words.tsx';

/** As the API names any user. */
const nameInApi = (id: number) => ({ external_id: `~${id}` });

export function UserView({ id }: { id: number }) {
  const query = useQuery(async (api) => (await api.admin.getUser.query(nameInApi(id))).user, onReturn);
  useTitle(query.content?.email ?? `User ${id}`);
  return (
    <ResourceView of={query} placeholder={<main class="main" aria-busy="true" />}>
      {(user) => (
        <View
          above={<a href="#admin/users">All users</a>}
          title={<bdi>{user.email}</bdi>}
          lede={<StateBadges user={user} />}
        >
          <UserFacts user={user} />
          <UserActions user={user} onChanged={query.reload} />
          <UserServers user={user} />
        </View>
      )}
    </ResourceView>
  );
}

const UserFacts = ({ user }: { user: ManagedUser }) => (
  <div class="panel connection">
    <Facts
      of={{
        Name: <bdi>{nameOf(user) || '–'}</bdi>,
        'Id in your system': <bdi>{user.external_id ?? '–'}</bdi>,
        'Panel user': user.panel_user_id ?? '–',
        'Here since': <Time iso={user.created_at} />,
      }}
    />
  </div>
);

interface ActionsProps {
  user: ManagedUser;
  onChanged(): Promise<unknown>;
}

function UserActions({ user, onChanged }: ActionsProps) {
  const { settings } = useShell();
  const { dialog, show } = useDialog();
  if (user.admin) return <p class="note">Administrators are changed on the command line only.</p>;
  const { active, email: about } = user;
  const props = { user, onChanged };
  const invite = () => show(<InviteDialog user={user} />);
  const suspend = () => show(<SuspendDialog {...props} />);
  const resume = () => show(<ResumeDialog {...props} />);
  const link = () => show(<PanelUserDialog {...props} />);
  return (
    <div class="actions">
      {settings.mail && active && <ActionButton icon="mail" label="Invite" about={about} onAct={invite} />}
      <ActionButton icon="plug" label="Change the panel user" about={`of ${about}`} onAct={link} />
      {active ? (
        <ActionButton icon="stop" label="Suspend" about={about} isDangerous onAct={suspend} />
      ) : (
        <ActionButton icon="play" label="Resume" about={about} onAct={resume} />
      )}
      {dialog}
    </div>
  );
}

function UserServers({ user: { id, panel_user_id } }: { user: ManagedUser }) {
  const query = useQuery((api) => api.admin.listUserServers.query(nameInApi(id)), { of: panel_user_id });
  return (
    <section class="stack">
      <h2>Servers</h2>
      <ResourceView of={query}>
        {({ servers }) => (
          <List label="Servers" items={servers} empty={<p class="note">None at the panel.</p>}>
            {(server) => <ServerRow key={server.identifier} server={server} />}
          </List>
        )}
      </ResourceView>
    </section>
  );
}

type ListedServer = Pick<Server, 'identifier' | 'name' | 'is_suspended' | 'panel_url'>;

const ServerRow = ({ server: { identifier, name, is_suspended, panel_url } }: { server: ListedServer }) => (
  <Item
    isLine
    title={name}
    about={
      <>
        <code class="prefix">{identifier}</code>
        {is_suspended && <span class="badge is-warning">suspended</span>}
        {panel_url && (
          <a href={panel_url} target="_blank" rel="noreferrer">
            At the panel<span class="visually-hidden">, in a new tab</span>
          </a>
        )}
      </>
    }
  />
);
