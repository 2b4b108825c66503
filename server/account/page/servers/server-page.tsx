/** The page of a server: what it does now, and below a part of it, which the address names. */
import type { ComponentType } from 'preact';
import { useRef } from 'preact/hooks';
import { useFocusInside, useKeptFocus } from '../focus.ts';
import { serverAddress, useRoute } from '../route.ts';
import { BackupsPart } from './backups.tsx';
import { ConsolePart } from './console.tsx';
import { FilesPart } from './files-part.tsx';
import { Overview } from './overview.tsx';
import type { PartProps } from './part.ts';
import { ServerActions, ServerNotes } from './server-facts.tsx';
import { StateBadge } from './server-state.tsx';
import { TicketsPart } from './server-tickets.tsx';
import { useResources } from './use-resources.ts';
import { useSamples } from './use-samples.ts';

interface Part {
  /** In the address; null: that of the page. */
  place: string | null;
  label: string;
  View: ComponentType<PartProps>;
}

/** In the order of their links. */
const parts: readonly [Part, ...Part[]] = [
  { place: null, label: 'Overview', View: Overview },
  { place: 'console', label: 'Console', View: ConsolePart },
  { place: 'files', label: 'Files', View: FilesPart },
  { place: 'backups', label: 'Backups', View: BackupsPart },
  { place: 'tickets', label: 'Tickets', View: TicketsPart },
];

interface Props extends Pick<PartProps, 'server' | 'onAsk' | 'onChanged'> {
  /** The state that the list of states tells; null until it is known. */
  told: string | null;
}

export function ServerPage({ server, told, onAsk, onChanged }: Props) {
  const { place, query } = useRoute();
  const { element, resources, follow } = useResources<HTMLDivElement>(server.identifier, told);
  const samples = useSamples(resources);
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusInside(element, () => heading.current);
  useKeptFocus(`${place}?${query}`);
  const current = parts.find((part) => part.place === place) ?? parts[0];
  return (
    <div ref={element} class="stack">
      <p>
        <a href="#servers">All servers</a>
      </p>
      <div class="item-head">
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{server.name}</bdi>
        </h1>
        <StateBadge server={server} state={resources?.state ?? null} />
      </div>
      <ServerNotes server={server} resources={resources} />
      <ServerActions {...{ server, resources, onAsk }} onSent={follow} />
      <PartLinks identifier={server.identifier} current={current} />
      <section class="stack" aria-label={current.label}>
        <current.View key={current.label} {...{ server, resources, samples, query, onAsk, onChanged }} />
      </section>
    </div>
  );
}

const PartLinks = ({ identifier, current }: { identifier: string; current: Part }) => (
  <nav class="nav server-parts" aria-label="Server">
    {parts.map((part) => (
      <a
        key={part.label}
        href={serverAddress(identifier, { place: part.place })}
        aria-current={part === current ? 'page' : undefined}
      >
        {part.label}
      </a>
    ))}
  </nav>
);
