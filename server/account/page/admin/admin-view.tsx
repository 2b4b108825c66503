/** The pages of administrators, at `#admin/name`; the page of a user is `#admin/user-42`. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useShell } from '../shell.ts';
import { HostWebhooksView } from '../webhooks/webhooks-view.tsx';
import { AnnouncementsView } from './announcements.tsx';
import { CatalogView } from './catalog.tsx';
import { adminPageAt } from './pages.ts';
import { everyUser, UsersView, UserView } from './users.tsx';

export function AdminView({ detail }: { detail: string | null }) {
  const { settings } = useShell();
  const [filter, setFilter] = useState(everyUser);
  const userId = readUserId(detail);
  const lastId = useRef<number | null>(null);
  useEffect(() => {
    if (userId !== null) lastId.current = userId;
  }, [userId]);
  const { name } = adminPageAt(detail, settings);
  return (
    <>
      {userId !== null && <UserView key={userId} id={userId} />}
      {userId === null && name === 'users' && (
        <UsersView filter={filter} onFilter={setFilter} lastId={lastId.current} />
      )}
      {name === 'catalog' && <CatalogView />}
      {name === 'announcements' && <AnnouncementsView />}
      {name === 'webhooks' && <HostWebhooksView />}
    </>
  );
}

function readUserId(detail: string | null): number | null {
  const [, id] = /^user-([1-9]\d{0,14})$/.exec(detail ?? '') ?? [];
  return id === undefined ? null : Number(id);
}
