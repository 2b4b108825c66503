/** The page's sections, each a tab: who sees it and what it shows. */
import type { ComponentType } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { pageSizeMax } from '../../../models/bounds.ts';
import { ActivityView } from './activity/activity-view.tsx';
import { AdminView } from './admin/admin-view.tsx';
import type { Settings, TicketCounts, User } from './api.ts';
import { ConnectedApps } from './apps/connected-apps.tsx';
import { Icon } from './icon.tsx';
import { KeysView } from './keys/keys-view.tsx';
import { NewsView } from './news/news-view.tsx';
import { type ReadMarks, useReadMarks } from './news/read-marks.ts';
import { useLinks, useRoute } from './route.ts';
import { SecurityView } from './security/security-view.tsx';
import { ServersView } from './servers/servers-view.tsx';
import { useShell } from './shell.ts';
import { SubscriptionsView } from './subscriptions/subscriptions-view.tsx';
import { OwnTickets, SupportDesk } from './tickets/tickets.tsx';
import { useQuery } from './use-query.ts';
import { WebhooksView } from './webhooks/webhooks-view.tsx';

interface Counts extends TicketCounts {
  news: number;
}

interface Section {
  name: string;
  label: string;
  /** `detail` follows the name in the address, such as the id of a ticket. */
  View: ComponentType<{ detail: string | null; marks: ReadMarks }>;
  /** How many of its entries wait for the user, also in words. */
  count?(counts: Counts): { count: number | null; text: string };
  /** Left out: every user sees it. */
  isFor?(user: User, settings: Settings): boolean;
}

const isStaff = ({ admin, support }: User) => admin || support;

const sections: readonly [Section, ...Section[]] = [
  { name: 'servers', label: 'Servers', View: ServersView },
  {
    name: 'tickets',
    label: 'Tickets',
    View: OwnTickets,
    count: ({ unread }) => ({ count: unread, text: 'with answers to read' }),
  },
  {
    name: 'support',
    label: 'Support desk',
    View: SupportDesk,
    isFor: isStaff,
    count: ({ waiting }) => ({ count: waiting, text: 'tickets waiting' }),
  },
  { name: 'keys', label: 'API keys', View: KeysView },
  {
    name: 'apps',
    label: 'Connected apps',
    View: ConnectedApps,
    isFor: (_, { connected_apps }) => connected_apps,
  },
  { name: 'webhooks', label: 'Webhooks', View: WebhooksView, isFor: (_, { webhooks }) => webhooks },
  { name: 'activity', label: 'Activity', View: ActivityView },
  { name: 'security', label: 'Security', View: () => <SecurityView /> },
  { name: 'subscriptions', label: 'Subscriptions', View: SubscriptionsView },
  {
    name: 'news',
    label: 'News',
    View: NewsView,
    count: ({ news }) => ({ count: news, text: 'to read' }),
  },
  { name: 'admin', label: 'Admin', View: AdminView, isFor: ({ admin }) => admin },
];

const countsMs = 30_000;

export function Sections({ user }: { user: User }) {
  const { settings } = useShell();
  useLinks();
  const { name, detail } = useRoute();
  const shown = sections.filter(({ isFor }) => isFor?.(user, settings) ?? true);
  const find = (wanted: string | null) => shown.find((section) => section.name === wanted);
  // Used where the address names no section that this user has.
  const current = find(name) ?? find(isStaff(user) ? 'support' : 'servers') ?? sections[0];
  // Reloaded at each address, because what the user reads there no longer counts.
  const { content: tickets } = useQuery((api) => api.tickets.counts.query(), {
    of: `${name}/${detail}`,
    pace: () => countsMs,
  });
  const { unread: news, ...marks } = useReadMarks();
  return (
    <>
      <Tabs {...{ shown, current }} counts={tickets && { ...tickets, news }} />
      <current.View key={current.name} detail={detail} marks={marks} />
    </>
  );
}

type TabsProps = { shown: readonly Section[]; current: Section; counts: Counts | null };

/** A menu on a phone, where tabs would take five rows. */
function Tabs({ shown, current, counts }: TabsProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    if (isOpen) button.current?.focus();
    setOpen(false);
  };
  return (
    <nav
      class={isOpen ? 'nav sections is-open' : 'nav sections'}
      aria-label="Account"
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <button
        ref={button}
        type="button"
        class="sections-button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span>
          <span class="visually-hidden">Menu: </span>
          {current.label}
        </span>
        <Icon name="chevron" />
      </button>
      {shown.map((section) => (
        <Tab key={section.name} {...{ section, counts }} isCurrent={section === current} onFollow={close} />
      ))}
    </nav>
  );
}

interface TabProps extends Pick<TabsProps, 'counts'> {
  section: Section;
  isCurrent: boolean;
  onFollow(): void;
}

function Tab({ section, isCurrent, counts, onFollow }: TabProps) {
  const { count: counted, text } = (counts && section.count?.(counts)) ?? { count: 0, text: '' };
  const count = counted === pageSizeMax ? `${counted}+` : counted;
  return (
    <a
      href={`#${section.name}`}
      onClick={onFollow}
      aria-current={isCurrent ? 'page' : undefined}
      aria-description={count ? `${count} ${text}` : undefined}
    >
      {section.label}
      {count ? (
        <span class="tab-count" aria-hidden="true">
          {count}
        </span>
      ) : null}
    </a>
  );
}
