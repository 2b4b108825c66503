/** The sections of the page, each a tab: who sees it and what it shows. Its address is `#name`, or `#name/detail`. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ActivityView } from './activity/activity-view.tsx';
import type { Settings, User } from './api.ts';
import { ConnectedApps } from './apps/connected-apps.tsx';
import { KeysView } from './keys-view.tsx';
import { ServersView } from './servers/servers-view.tsx';
import { useShell } from './shell.ts';
import { OwnTickets, SupportDesk } from './tickets/tickets-section.tsx';
import { useTitle } from './use-title.ts';
import { WebhooksView } from './webhooks/webhooks-view.tsx';

interface SectionProps {
  user: User;
  /** What follows the name in the address, such as the id of a ticket. */
  detail: string | null;
}

interface Section {
  name: string;
  label: string;
  View: ComponentType<SectionProps>;
  /** Left out: every user sees it. */
  isFor?(user: User, settings: Settings): boolean;
}

const isStaff = ({ admin, support }: User) => admin || support;

/** In the order of the tabs. */
const sections: readonly [Section, ...Section[]] = [
  { name: 'servers', label: 'Servers', View: ServersView },
  { name: 'tickets', label: 'Tickets', View: OwnTickets },
  { name: 'support', label: 'Support desk', View: SupportDesk, isFor: isStaff },
  { name: 'keys', label: 'API keys', View: KeysView },
  {
    name: 'apps',
    label: 'Connected apps',
    View: ConnectedApps,
    isFor: (_, { connected_apps }) => connected_apps,
  },
  { name: 'webhooks', label: 'Webhooks', View: WebhooksView, isFor: (_, { webhooks }) => webhooks },
  { name: 'activity', label: 'Activity', View: ActivityView },
];

export function Sections({ user }: { user: User }) {
  const { settings } = useShell();
  const { name, detail } = useRoute();
  const shown = sections.filter(({ isFor }) => isFor?.(user, settings) ?? true);
  const find = (wanted: string | null) => shown.find((section) => section.name === wanted);
  // Where the address names no section of this user's.
  const current = find(name) ?? find(isStaff(user) ? 'support' : 'servers') ?? sections[0];
  useTitle(current.label);
  return (
    <>
      <Tabs sections={shown} current={current} />
      <current.View key={current.name} user={user} detail={detail} />
    </>
  );
}

function Tabs({ sections, current }: { sections: readonly Section[]; current: Section }) {
  return (
    <nav class="sections" aria-label="Account">
      {sections.map(({ name, label }) => (
        <a key={name} href={`#${name}`} aria-current={name === current.name ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

const address = /^#([a-z]+)(?:\/([\w-]{1,64}))?$/;

function readRoute() {
  const [, name = null, detail = null] = address.exec(location.hash) ?? [];
  return { name, detail };
}

function useRoute() {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const onChange = () => setRoute(readRoute());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return route;
}
