/** The pages of administrators, at `#admin/name`; the page of a user is `#admin/user-42`. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useShell } from '../shell.ts';
import { useTitle } from '../view.tsx';
import { HostWebhooksView } from '../webhooks/webhooks-view.tsx';
import { AnnouncementsView } from './announcements.tsx';
import { CatalogView } from './catalog.tsx';
import { everyUser, UsersView, UserView } from './users.tsx';

const pages = [
  { name: 'users', label: 'Users' },
  { name: 'catalog', label: 'Catalog' },
  { name: 'announcements', label: 'Announcements' },
  { name: 'webhooks', label: 'Host webhooks' },
] as const;

type PageName = (typeof pages)[number]['name'];

export function AdminView({ detail }: { detail: string | null }) {
  const { settings } = useShell();
  const [filter, setFilter] = useState(everyUser);
  const userId = readUserId(detail);
  const lastId = useRef<number | null>(null);
  useEffect(() => {
    if (userId !== null) lastId.current = userId;
  }, [userId]);
  const shown = pages.filter(({ name }) => name !== 'webhooks' || settings.webhooks);
  const { name, label } = shown.find((page) => page.name === detail) ?? pages[0];
  useTitle(userId === null ? label : null);
  return (
    <>
      <AdminPages pages={shown} current={name} />
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

type PagesProps = { pages: readonly { name: PageName; label: string }[]; current: PageName };

const AdminPages = ({ pages, current }: PagesProps) => (
  <nav class="nav is-inner" aria-label="Admin">
    {pages.map(({ name, label }) => (
      <a key={name} href={`#admin/${name}`} aria-current={name === current ? 'page' : undefined}>
        {label}
      </a>
    ))}
  </nav>
);
