/** A call of the panel, as what decides whether it may go sees it: whose it is, and what its kind says of it. */
import type { OwnedServer } from '../../routers/panel-port.ts';
import type { PanelApi } from './failures.ts';

/** How many servers something is kept of at once. */
export const keptServersMax = 5_000;

/** A server, and how calls about it count: without these fields, each call needs room in its customer's minute. */
export type CalledServer = OwnedServer & {
  /** The write that makes the calls: only its first call needs room. At `endsAt` its caller gets an answer. */
  write?: { isBegun: boolean; endsAt: number };
  /** The watch makes the calls, within a budget of its own: they are not counted. */
  isWatched?: true;
};

export interface PanelCall {
  /** Null where the node itself is called, which shows nothing of the panel. */
  api: PanelApi | null;
  /** Null where the call concerns no server. */
  server: CalledServer | null;
  /** The panel user whose call it is, or the external id of one who is looked up; null where no customer causes it. */
  customerId: number | string | null;
  /** Such as `GET files/list`: what is slow or limited for one kind is not so for another. */
  kind: string;
  isWrite: boolean;
  /** Whether the panel asks the server's node. */
  needsNode: boolean;
}

/** A call of the node itself, on a way of its own: it shows nothing of the panel, and nothing of how the panel reaches the node. */
export const callOfNode = (server: CalledServer, kind: 'console' | 'download') =>
  ({ api: null, server, customerId: null, kind, isWrite: false, needsNode: false }) as const;

export const isCallerAnswered = ({ write }: CalledServer) =>
  write !== undefined && performance.now() >= write.endsAt;

export const isPull = ({ kind }: Pick<PanelCall, 'kind'>) => kind === 'POST files/pull';

/** The customer decides how long it takes: by how much there is, or by a server that does not read its commands. */
export const mayTakeLong = ({ kind }: PanelCall) => /^\w+ (files|backups|schedules|command)/.test(kind);

/** Quick where a node is well, whatever is on its servers: a late one says that the node is slow. */
export const showsNodeHealth = ({ kind }: PanelCall) => kind === 'GET resources' || isPower({ kind });

export const isPower = ({ kind }: Pick<PanelCall, 'kind'>) => kind === 'POST power';

/** Kinds for which the panels count by server, or by their own user, and say so in the same headers as of the API. */
export const hasOwnLimit = ({ kind }: PanelCall) =>
  /^(GET websocket|POST (backups|files\/pull|schedules))/.test(kind);

export const isList = ({ server, kind }: PanelCall) =>
  (!server && kind === '') || /^GET (files\/list|backups)$/.test(kind);
