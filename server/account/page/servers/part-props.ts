/** The properties of every part of a server's page. */
import type { Resources, Server } from '../api.ts';

export interface PartProps {
  server: Server;
  resources: Resources | null;
  query: URLSearchParams;
  /** Opens a ticket about the server. */
  onAsk(): void;
  /** Called when the panel has accepted a power signal. */
  onSent(): void;
  /** Called when the server itself may have changed. */
  onChanged(): void;
}
