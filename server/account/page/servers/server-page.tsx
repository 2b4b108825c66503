/** The page of a server: its current state, and the part that the address names. */
import type { ComponentType } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { listedTicketsMax } from '../../../../models/bounds.ts';
import type { Api } from '../api.ts';
import { useFocusAfterChange, useFocusInside } from '../focus.ts';
import { Icon } from '../icon.tsx';
import { BackupsPart, ConsolePart, FilesPart, SchedulesPart, StartupPart } from '../lazy-views.ts';
import { ListView } from '../list-view.tsx';
import { serverAddress, useRoute } from '../route.ts';
import { useShell } from '../shell.ts';
import { createOwnDesk } from '../tickets/desk.ts';
import { TicketItem } from '../tickets/ticket-list.tsx';
import { useQuery } from '../use-query.ts';
import { Blank } from '../view.tsx';
import { type Condition, conditionOf } from './conditions.ts';
import { Overview } from './overview.tsx';
import type { PartProps } from './part-props.ts';
import { ServerActions } from './server-actions.tsx';
import { Address, GameIcon, StateBadge } from './server-facts.tsx';
import { useResources } from './use-resources.ts';

interface Props extends Pick<PartProps, 'server' | 'onAsk' | 'onChanged'> {
  /** The server's state in the list of states; null until that list is known. */
  listedState: string | null;
}

export function ServerPage({ server, listedState, onAsk, onChanged }: Props) {
  const { partName, query } = useRoute();
  const element = useRef<HTMLDivElement>(null);
  const { resources, follow } = useResources(server.identifier, listedState);
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusInside(element, () => heading.current);
  useFocusAfterChange(`${partName}?${query}`);
  const current = parts.find((part) => part.partName === partName) ?? parts[0];
  const { state = null, reason = null } = resources ?? {};
  const condition = conditionOf(server, reason);
  return (
    <div ref={element} class="stack server-page">
      <div class="item-head">
        <a class="icon-button" href="#servers" aria-label="All servers">
          <Icon name="back" />
        </a>
        <GameIcon server={server} />
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{server.name}</bdi>
        </h1>
        <StateBadge {...{ server, state, reason }} />
        <Address server={server} />
        <ServerActions {...{ server, state, reason, onAsk }} onSent={follow} />
      </div>
      <PartLinks identifier={server.identifier} current={current} />
      <section class="stack" aria-label={current.label}>
        {condition && <ConditionNote condition={condition} />}
        {!condition && reason && <p class="note">{reason}</p>}
        {!(condition && current.needsServer) && (
          <current.View
            key={current.label}
            {...{ server, resources, query, onAsk, onChanged }}
            onSent={follow}
          />
        )}
      </section>
    </div>
  );
}

const ConditionNote = ({ condition: { title, advice, needsHost } }: { condition: Condition }) => (
  <Blank icon={needsHost ? 'lock' : 'clock'} title={title} text={advice} />
);

const PartLinks = ({ identifier, current }: { identifier: string; current: Part }) => (
  <nav class="nav server-parts" aria-label="Server">
    {parts.map((part) => (
      <a
        key={part.label}
        href={serverAddress(identifier, { partName: part.partName })}
        aria-current={part === current ? 'page' : undefined}
      >
        {part.label}
      </a>
    ))}
  </nav>
);

function TicketsPart({ server, onAsk }: PartProps) {
  const { api } = useShell();
  const desk = useMemo(() => createOwnDesk(api), [api]);
  const query = useQuery(async (api: Api) => {
    const { tickets } = await api.tickets.list.query({ limit: listedTicketsMax });
    return tickets.filter(({ service_reference }) => service_reference === server.identifier);
  });
  return (
    <ListView
      query={query}
      items={(tickets) => tickets}
      label={`Tickets about ${server.name}`}
      blank={{ title: 'No tickets about this server', text: 'Open one, and the answer appears here.' }}
      create={{ label: 'Open a ticket', onClick: onAsk }}
      item={(ticket) => <TicketItem key={ticket.id} ticket={ticket} desk={desk} />}
    />
  );
}

interface Part {
  /** The last part of the address; null for the overview, whose address has none. */
  partName: string | null;
  label: string;
  /** Whether the panel refuses all its requests while a condition keeps the server from being used. */
  needsServer?: boolean;
  View: ComponentType<PartProps>;
}

const parts: readonly [Part, ...Part[]] = [
  { partName: null, label: 'Overview', View: Overview },
  { partName: 'console', label: 'Console', needsServer: true, View: ConsolePart },
  { partName: 'files', label: 'Files', needsServer: true, View: FilesPart },
  { partName: 'backups', label: 'Backups', needsServer: true, View: BackupsPart },
  { partName: 'schedules', label: 'Schedules', needsServer: true, View: SchedulesPart },
  { partName: 'startup', label: 'Startup', needsServer: true, View: StartupPart },
  { partName: 'tickets', label: 'Tickets', View: TicketsPart },
];
