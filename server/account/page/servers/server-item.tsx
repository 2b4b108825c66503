/** A server: what it does now, where players join, what it uses, and what its owner can do with it. */
import { useRef, useState } from 'preact/hooks';
import type { PowerSignal, Resources, Server } from '../api.ts';
import { useFocusInside } from '../focus.ts';
import { Icon } from '../icon.tsx';
import { Backups } from './backups.tsx';
import { Figures } from './figures.tsx';
import { PowerDialog, powerTexts } from './power-dialog.tsx';
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
  const [signal, setSignal] = useState<PowerSignal | null>(null);
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
        <PowerButtons server={server} resources={resources} onChoose={setSignal} />
        <OtherActions server={server} onAsk={onAsk} />
      </div>
      <Backups server={server} />
      {signal && (
        <PowerDialog server={server} signal={signal} onClose={() => setSignal(null)} onSent={follow} />
      )}
    </li>
  );
}

const OtherActions = ({ server: { name, panel_url }, onAsk }: Pick<Props, 'server' | 'onAsk'>) => (
  <>
    <button type="button" class="button is-small" aria-label={`Open a ticket about ${name}`} onClick={onAsk}>
      Open a ticket
    </button>
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

interface StateProps {
  server: Server;
  /** Null until they are known. */
  resources: Resources | null;
}

/** The signals that change something; all of them while the state is not known. */
const signalsFor: Record<string, PowerSignal[]> = {
  running: ['restart', 'stop'],
  starting: ['stop'],
  stopping: [],
  offline: ['start'],
};

interface PowerProps extends StateProps {
  onChoose(signal: PowerSignal): void;
}

function PowerButtons({ server, resources, onChoose }: PowerProps) {
  if (conditionOf(server) || !resources) return null;
  const signals = signalsFor[resources.state] ?? ['start', 'restart', 'stop'];
  return (
    <>
      {signals.map((signal) => (
        <button
          key={signal}
          type="button"
          class="button is-small"
          aria-label={`${powerTexts[signal].verb} ${server.name}`}
          onClick={() => onChoose(signal)}
        >
          <Icon name={powerTexts[signal].icon} />
          {powerTexts[signal].verb}
        </button>
      ))}
    </>
  );
}
