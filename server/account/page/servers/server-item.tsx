/** A server in the list: what it does now, where players join, what it uses, and what its owner can do with it. */
import { useRef } from 'preact/hooks';
import type { Server } from '../api.ts';
import { useFocusInside } from '../focus.ts';
import { serverAddress } from '../route.ts';
import { Figures } from './figures.tsx';
import { ServerActions, ServerNotes } from './server-facts.tsx';
import { conditionOf, StateBadge } from './server-state.tsx';
import { useResources } from './use-resources.ts';

interface Props {
  server: Server;
  /** The state that the list of states tells; null until it is known. */
  told: string | null;
  /** Opens a ticket about the server. */
  onAsk(): void;
}

export function ServerItem({ server, told, onAsk }: Props) {
  const { element, resources, follow } = useResources<HTMLLIElement>(server.identifier, told);
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusInside(element, () => heading.current);
  return (
    <li ref={element} class="panel stack">
      <div class="item-head">
        <h2 ref={heading} tabIndex={-1}>
          <a href={serverAddress(server.identifier)}>
            <bdi>{server.name}</bdi>
          </a>
        </h2>
        <StateBadge server={server} state={resources?.state ?? null} />
      </div>
      <ServerNotes server={server} resources={resources} />
      {conditionOf(server) === null && <Figures server={server} resources={resources} />}
      <ServerActions {...{ server, resources, onAsk }} onSent={follow} />
    </li>
  );
}
