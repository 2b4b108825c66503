/** The table of panel failures: the panel's answer, the caller's message, and whether the panel is down. */

import { refusal } from '../../../server/panel/demo/answers.ts';
import type { Behaviour } from '../../support/stand-in-panel.ts';

export interface FailureRow {
  name: string;
  behaviour: Behaviour;
  message: string;
  powerMessage: string;
  /** Only a failure of the panel itself may open the circuit for all callers. */
  isOutage: boolean;
  alertsOperator: boolean;
}

const upstreamDetail = 'SQLSTATE at panel-internal.example';

type Expected = Pick<FailureRow, 'message'> & Partial<FailureRow>;

const row = (name: string, behaviour: Behaviour, expected: Expected): FailureRow => ({
  name,
  behaviour,
  powerMessage: expected.message,
  isOutage: false,
  alertsOperator: false,
  ...expected,
});

/** A failure in the panel's own envelope, named by status and code. */
function envelope(
  status: number,
  code: string,
  { detail = upstreamDetail, ...expected }: Expected & { detail?: string },
) {
  const name = `${status} ${code}${detail === upstreamDetail ? '' : ` (${detail})`}`;
  return row(name, refusal(status, code, detail), expected);
}

const conflict = (detail: string, event: string) =>
  envelope(409, 'ServerStateConflictException', {
    detail,
    message: `${event}, so the panel refused the request; a retry does not help until that has changed`,
    powerMessage: `${event}, so the panel refused the signal; a retry does not help until that has changed`,
  });

/** Only the operator can fix these. */
export const notAvailable = { message: 'The panel is not available; try again later', alertsOperator: true };
const node = { message: 'The machine that hosts the server did not carry out the request; try again later' };
export const failed = {
  message: 'The panel failed; try again later',
  powerMessage: 'The panel failed; the signal may or may not have been carried out',
};
export const unreadable = {
  message: 'The panel sent a response that could not be understood',
  powerMessage:
    'The panel sent a response that could not be understood; the signal may or may not have been carried out',
};
const connectionLost = {
  message: 'The connection to the panel was lost; try again later',
  powerMessage: 'The connection to the panel was lost; the signal may or may not have been carried out',
};
const throttled = { message: 'The panel is busy; try again later', isOutage: true };
const serverThrottled = { message: 'The panel limits how often this may be done; try again later' };
const invalid = { message: 'The panel did not accept the request' };
const quotaReached = {
  message: 'The server already has all the backups it is allowed, so the panel refused the request',
  powerMessage: 'The server already has all the backups it is allowed, so the panel refused the signal',
};

const onBothPanels: FailureRow[] = [
  envelope(401, 'AuthenticationException', notAvailable),
  envelope(403, 'AccessDeniedHttpException', notAvailable),
  conflict('This server is currently suspended and the functionality …', 'The server is suspended'),
  conflict(
    'The node of this server is currently under maintenance and …',
    'The machine that hosts the server is under maintenance',
  ),
  conflict(
    'This server has not yet completed its installation process, …',
    'The server has not finished its installation',
  ),
  conflict(
    'This server is currently restoring from a backup, …',
    'The server is being restored from a backup',
  ),
  conflict(
    'This server is currently being transferred to a new machine, …',
    'The server is being moved to another machine',
  ),
  conflict('Its state is new to us.', 'The state of the server does not allow this'),
  envelope(400, 'TwoFactorAuthRequiredException', notAvailable),
  envelope(400, 'TooManyBackupsException', quotaReached),
  envelope(400, 'DisplayException', invalid),
  envelope(422, 'ValidationException', invalid),
  envelope(429, 'TooManyRequestsHttpException', serverThrottled),
  envelope(429, 'ThrottleRequestsException', throttled),
  envelope(500, 'TypeError', failed),
  envelope(500, 'QueryException', { ...failed, isOutage: true }),
  envelope(503, 'HttpException', { ...failed, isOutage: true }),
];

const ofPterodactyl: FailureRow[] = [
  ...[400, 403, 404, 500, 504].map((status) => envelope(status, 'DaemonConnectionException', node)),
  envelope(502, 'HttpException', node),
];

const ofPelican: FailureRow[] = [
  envelope(500, 'RequestException', node),
  envelope(504, 'RequestException', node),
];

const ofProxies: FailureRow[] = [
  row('429 HTML', { status: 429, body: '<h1>Slow down</h1>' }, throttled),
  row('500 HTML', { status: 500, body: '<h1>Whoops</h1>' }, { ...failed, isOutage: true }),
  row('502 HTML', { status: 502, body: '<h1>Bad gateway</h1>' }, { ...failed, isOutage: true }),
  row('503 empty', { status: 503 }, { ...failed, isOutage: true }),
  row('404 HTML', { status: 404, body: '<h1>Not found</h1>' }, { ...unreadable, isOutage: true }),
  row('200 HTML', { body: '<h1>Welcome</h1>' }, { ...unreadable, isOutage: true }),
  row('200 empty', { status: 200 }, { ...unreadable, isOutage: true }),
  row('200 truncated JSON', { body: '{"object":' }, { ...unreadable, isOutage: true }),
  row('302', { status: 302, headers: { Location: '/auth/login' } }, { ...notAvailable, isOutage: true }),
  row('401 HTML', { status: 401, body: '<h1>Who are you?</h1>' }, notAvailable),
  row('403 HTML', { status: 403, body: '<h1>Checking your browser</h1>' }, notAvailable),
  row('404 JSON without an error', { status: 404, body: { errors: [] } }, unreadable),
  row('200 JSON of another shape', { body: { object: 'user' } }, unreadable),
  row('a reset connection', 'reset', { ...connectionLost, isOutage: true }),
];

const labelled = (label: string, rows: FailureRow[]) =>
  rows.map((given) => ({ ...given, name: `${given.name}, ${label}` }));

export const failureRows: FailureRow[] = [
  ...labelled('on both panels', onBothPanels),
  ...labelled('on Pterodactyl', ofPterodactyl),
  ...labelled('on Pelican', ofPelican),
  ...labelled('before the panel', ofProxies),
];
