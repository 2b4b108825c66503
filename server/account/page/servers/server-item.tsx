/** A server: what it does now, where players join, what it uses, and what its owner can do with it. */
import { useRef } from 'preact/hooks';
import type { Server } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { useFocusInside } from '../focus.ts';
import { Backups } from './backups.tsx';
import { Figures } from './figures.tsx';
import { PowerButtons } from './power.tsx';
import { Address } from './server-address.tsx';
import { conditionOf, StateBadge } from './server-state.tsx';
import { useResources } from './use-resources.ts';

interface Props {
  server: Server;
  /** The state that the list of states tells; null until it is known. */
  told: string | null;
  /** Without others: its name is the heading of the page. */
  isAlone: boolean;
  /** Opens a ticket about the server. */
  onAsk(): void;
}

export function ServerItem({ server, told, isAlone, onAsk }: Props) {
  const Heading = isAlone ? 'h1' : 'h2';
  const { element, resources, follow } = useResources(server.identifier, told);
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusInside(element, () => heading.current);
  const condition = conditionOf(server);
  return (
    <li ref={element} class="panel server">
      <div class="server-head">
        <Heading ref={heading} tabIndex={-1}>
          <bdi>{server.name}</bdi>
        </Heading>
        <StateBadge server={server} state={resources?.state ?? null} />
      </div>
      <Address server={server} />
      {condition !== null ? (
        <p class="note">{adviceOn(condition)}</p>
      ) : (
        <>
          {resources?.reason && (
            <p class="note" dir="auto">
              {resources.reason}
            </p>
          )}
          <Figures server={server} resources={resources} />
        </>
      )}
      <div class="server-actions">
        <PowerButtons server={server} resources={resources} onSent={follow} />
        <OtherActions server={server} onAsk={onAsk} />
      </div>
      <Backups server={server} />
    </li>
  );
}

const OtherActions = ({ server: { name, panel_url }, onAsk }: Pick<Props, 'server' | 'onAsk'>) => (
  <>
    <ActionButton label="Open a ticket" about={`about ${name}`} onAct={onAsk} />
    {panel_url && (
      <a class="button is-small" href={panel_url} target="_blank" rel="noreferrer">
        Open the panel<span class="visually-hidden"> of {name}, in a new tab</span>
      </a>
    )}
  </>
);

function adviceOn(condition: string): string {
  if (condition === 'suspended') return 'It cannot run until your host ends that. Ask why in a ticket.';
  return condition.includes('failed') ? 'Ask for help in a ticket.' : 'It can be started when that is done.';
}
