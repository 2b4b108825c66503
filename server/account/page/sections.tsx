/** The page's sections in their groups: who sees them and what they show. */
import type { ComponentType } from 'preact';
import { adminPageAt, adminPages } from './admin/pages.ts';
import type { Settings, TicketCounts, User } from './api.ts';
import { Header } from './header.tsx';
import { KeysView } from './keys/keys-view.tsx';
import {
  ActivityView,
  AdminView,
  ConnectedApps,
  SecurityView,
  SubscriptionsView,
  WebhooksView,
} from './lazy-views.ts';
import { NewsView } from './news/news-view.tsx';
import { type ReadMarks, useReadMarks } from './news/read-marks.ts';
import { useLinks, useRoute } from './route.ts';
import { ServersView } from './servers/servers-view.tsx';
import { useShell } from './shell.ts';
import { type Entry, NewsLink, SideBar, type Waiting } from './side-bar.tsx';
import { OwnTickets, SupportDesk } from './tickets/tickets.tsx';
import { useTicketCounts } from './tickets/use-counts.ts';

interface Section extends Omit<Entry, 'waiting' | 'pages'> {
  /** `detail` follows the name in the address, such as the id of a ticket. */
  View: ComponentType<{ detail: string | null; marks: ReadMarks }>;
  waiting?(counts: TicketCounts): Waiting;
  pages?: typeof adminPages;
  /** Left out: every user sees it. */
  isFor?(user: User, settings: Settings): boolean;
}

interface Group {
  label: string | null;
  sections: readonly [Section, ...Section[]];
}

const isStaff = ({ admin, support }: User) => admin || support;

const groups: readonly [Group, ...Group[]] = [
  {
    label: null,
    sections: [
      { name: 'servers', label: 'Servers', icon: 'server', View: ServersView },
      {
        ...{ name: 'tickets', label: 'Tickets', icon: 'chat', View: OwnTickets },
        waiting: ({ unread }) => ({
          count: unread,
          text: 'with answers to read',
          noun: unread === 1 ? 'answer' : 'answers',
        }),
      },
    ],
  },
  {
    label: 'Developers',
    sections: [
      { name: 'keys', label: 'API keys', icon: 'key', View: KeysView },
      {
        ...{ name: 'webhooks', label: 'Webhooks', icon: 'hook', View: WebhooksView },
        isFor: (_, { webhooks }) => webhooks,
      },
      {
        ...{ name: 'apps', label: 'Connected apps', icon: 'plug', View: ConnectedApps },
        isFor: (_, { connected_apps }) => connected_apps,
      },
      { name: 'activity', label: 'Activity', icon: 'chart', View: ActivityView },
    ],
  },
  {
    label: 'Account',
    sections: [
      { name: 'subscriptions', label: 'Subscriptions', icon: 'card', View: SubscriptionsView },
      { name: 'security', label: 'Security', icon: 'shield', View: () => <SecurityView /> },
    ],
  },
  {
    label: 'Staff',
    sections: [
      {
        ...{ name: 'support', label: 'Support desk', icon: 'inbox', View: SupportDesk },
        isFor: isStaff,
        waiting: ({ waiting }) => ({ count: waiting, text: 'tickets waiting', noun: 'waiting' }),
      },
      {
        ...{ name: 'admin', label: 'Admin', icon: 'sliders', View: AdminView },
        isFor: ({ admin }) => admin,
        pages: adminPages,
      },
    ],
  },
];

/** Its link is in the header. */
const news: Section = { name: 'news', label: 'News', icon: 'bell', View: NewsView };

export function Sections({ user, onSignedOut }: { user: User; onSignedOut(): void }) {
  const { settings } = useShell();
  useLinks();
  const { name, detail } = useRoute();
  const shown = groups
    .map(({ label, sections }) => ({
      label,
      sections: sections.filter(({ isFor }) => isFor?.(user, settings) ?? true),
    }))
    .filter(({ sections }) => sections.length > 0);
  const all = [...shown.flatMap(({ sections }) => sections), news];
  const find = (wanted: string | null) => all.find((section) => section.name === wanted);
  // Used where the address names no section that this user has.
  const current = find(name) ?? find(isStaff(user) ? 'support' : 'servers') ?? news;
  const counts = useTicketCounts(`${name}/${detail}`);
  const { unread, ...marks } = useReadMarks();
  const toEntry = ({ waiting, pages, ...section }: Section): Entry => ({
    ...section,
    waiting: counts ? waiting?.(counts) : undefined,
    pages: pages?.(settings),
  });
  return (
    <>
      <Header {...{ user, onSignedOut }}>
        <NewsLink count={unread} isCurrent={current === news} />
      </Header>
      <SideBar
        groups={shown.map(({ label, sections }) => ({ label, entries: sections.map(toEntry) }))}
        current={current}
        page={current.pages && adminPageAt(detail, settings)}
      />
      <current.View key={current.name} detail={detail} marks={marks} />
    </>
  );
}
