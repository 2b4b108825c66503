/** What the list of servers and the page of one of them both tell of it, and offer. */
import type { Resources, Server } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { PowerButtons } from './power.tsx';
import { Address } from './server-address.tsx';
import { conditionOf } from './server-state.tsx';

interface Props {
  server: Server;
  /** Null until they are known. */
  resources: Resources | null;
}

/** Where players join, and what is unusual. */
export function ServerNotes({ server, resources }: Props) {
  const condition = conditionOf(server);
  const note = condition === null ? resources?.reason : adviceOn(condition);
  return (
    <>
      <Address server={server} />
      {note && (
        <p class="note" dir="auto">
          {note}
        </p>
      )}
    </>
  );
}

function adviceOn(condition: string): string {
  if (condition === 'suspended') return 'It cannot run until your host ends that. Ask why in a ticket.';
  return condition.includes('failed') ? 'Ask for help in a ticket.' : 'It can be started when that is done.';
}

interface ActionsProps extends Props {
  /** After a power signal. */
  onSent(): void;
  /** Opens a ticket about the server. */
  onAsk(): void;
}

export const ServerActions = ({ server, resources, onSent, onAsk }: ActionsProps) => (
  <div class="actions">
    <PowerButtons {...{ server, resources, onSent }} />
    <ActionButton label="Open a ticket" about={`about ${server.name}`} onAct={onAsk} />
    {server.panel_url && (
      <a class="button is-small" href={server.panel_url} target="_blank" rel="noreferrer">
        Open the panel<span class="visually-hidden"> of {server.name}, in a new tab</span>
      </a>
    )}
  </div>
);
