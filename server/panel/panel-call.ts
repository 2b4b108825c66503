/** A call to the panel. Its customer, its server and its kind decide whether it may be sent. */
import type { OwnedServer } from '../../routers/panel-port.ts';
import type { PanelApi } from './failures.ts';

export const keptServersMax = 5_000;

/** A server, and how calls about it count. Without these fields, each call counts against its customer's limit per minute. */
export type CalledServer = OwnedServer & {
  /** The write that makes the calls. The limit can refuse only its first call. Its caller gets an answer at `endsAt` at the latest. */
  write?: { isBegun: boolean; endsAt: number };
  /** The watch makes the calls. They are not counted, because the watch has its own budget. */
  isWatched?: true;
  /** The calls end or undo a write that has begun. They are counted, but no limit, pause or circuit breaker holds them up. */
  mustGo?: true;
  /** When the caller gives up: a call that still waits then is never sent. By `performance.now()`. */
  givesUpAt?: number;
};

export interface PanelCall {
  /** Null for a call to the node itself, which is no evidence about the panel. */
  api: PanelApi | null;
  server: CalledServer | null;
  /** The panel user who causes the call, or the external id of one who is looked up; null if no customer causes it. */
  customerId: number | string | null;
  /** Such as `GET files/list`. One kind may be slow or limited while another is not. */
  kind: string;
  isWrite: boolean;
  /** Whether the panel asks the server's node. */
  needsNode: boolean;
}

/** A call to the node itself. It is no evidence about the panel, or about how the panel reaches the node. */
export const callOfNode = (server: CalledServer, kind: 'console' | 'download') =>
  ({ api: null, server, customerId: null, kind, isWrite: false, needsNode: false }) as const;

export const isCallerAnswered = ({ write }: CalledServer) =>
  write !== undefined && performance.now() >= write.endsAt;

export const isPull = ({ kind }: Pick<PanelCall, 'kind'>) => kind === 'POST files/pull';

/** The customer decides how long these take: by the amount of data, or by a server that does not read its commands. */
export const mayTakeLong = ({ kind }: PanelCall) => /^\w+ (files|backups|schedules|command)/.test(kind);

/** On a healthy node these calls are quick, whatever its servers contain, so a late one means that the node is slow. */
export const showsNodeHealth = ({ kind }: PanelCall) => kind === 'GET resources' || isPower({ kind });

export const isPower = ({ kind }: Pick<PanelCall, 'kind'>) => kind === 'POST power';

/** Kinds that panels limit by server or by panel user, and report in the same headers as the limit of the API. */
export const hasOwnLimit = ({ kind }: PanelCall) =>
  /^(GET websocket|POST (backups|files\/pull|schedules))/.test(kind);

export const isList = ({ server, kind }: PanelCall) =>
  (!server && kind === '') || /^GET (files\/list|backups)$/.test(kind);
