/** Finds the condition that keeps a server from being used, in the list of servers or the reason of its unknown state. */
import type { Server } from '../api.ts';

/** Staff see servers without a status. */
type Listed = Pick<Server, 'is_suspended'> & Partial<Pick<Server, 'status'>>;

export interface Condition {
  /** For the badge, such as "restoring backup". */
  word: string;
  title: string;
  advice: string;
  /** Whether only the host can end it. */
  needsHost?: boolean;
}

const endsByItself = 'This ends by itself. You need not do anything.';
const mayStayOff = 'This ends by itself. If the server is off afterward, start it.';

/** The first text that matches the panel's word or the service's reason. */
const conditions: readonly (Condition & { match: RegExp })[] = [
  {
    match: /suspended/,
    word: 'suspended',
    title: 'The server is suspended',
    advice: 'Only your host can end this. Open a ticket to ask why.',
    needsHost: true,
  },
  {
    match: /install failed|has failed/,
    word: 'install failed',
    title: 'The installation of the server failed',
    advice: 'Open a ticket to get help.',
    needsHost: true,
  },
  { match: /install/, word: 'installing', title: 'The server is being installed', advice: mayStayOff },
  {
    match: /restor/,
    word: 'restoring backup',
    title: 'The server is being restored from a backup',
    advice: mayStayOff,
  },
  {
    match: /being moved|transferring/,
    word: 'moving',
    title: 'The server is being moved to another machine',
    advice: endsByItself,
  },
  {
    match: /maintenance/,
    word: 'maintenance',
    title: 'The machine of the server is under maintenance',
    advice: endsByItself,
  },
];

/** @param reason why the state is unknown. A panel that is only busy or slow is no condition. */
export function conditionOf({ is_suspended, status }: Listed, reason?: string | null): Condition | null {
  const listed = is_suspended ? 'suspended' : (status?.replaceAll('_', ' ') ?? null);
  const known = conditions.find(({ match }) => match.test(listed ?? reason ?? ''));
  if (known) return known;
  return listed === null ? null : { word: listed, title: `The server is ${listed}`, advice: endsByItself };
}
