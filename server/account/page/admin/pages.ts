/** The administrator's pages, which the side bar lists before their code is loaded. */
import type { Settings } from '../api.ts';
import type { IconName } from '../icon.tsx';

interface AdminPage {
  name: 'users' | 'catalog' | 'announcements' | 'webhooks';
  label: string;
  icon: IconName;
}

const pages: readonly [AdminPage, ...AdminPage[]] = [
  { name: 'users', label: 'Users', icon: 'users' },
  { name: 'catalog', label: 'Catalog', icon: 'tag' },
  { name: 'announcements', label: 'Announcements', icon: 'news' },
  { name: 'webhooks', label: 'Host webhooks', icon: 'hook' },
];

export const adminPages = (settings: Settings): readonly AdminPage[] =>
  pages.filter(({ name }) => name !== 'webhooks' || settings.webhooks);

/** @param detail follows `#admin/` in the address: the name of a page, or `user-42` for the page of a user */
export const adminPageAt = (detail: string | null, settings: Settings): AdminPage =>
  adminPages(settings).find(({ name }) => name === detail) ?? pages[0];
