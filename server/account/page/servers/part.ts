/** What each part of a server's page is given. */
import type { Resources, Server } from '../api.ts';
import type { Sample } from './use-samples.ts';

export interface PartProps {
  server: Server;
  /** Null until they are known. */
  resources: Resources | null;
  samples: readonly Sample[];
  /** What the address names of the part. */
  query: URLSearchParams;
  /** Opens a ticket about the server. */
  onAsk(): void;
  /** The server itself may be another by now. */
  onChanged(): void;
}
