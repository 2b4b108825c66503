/** The table of panel failures as promised: what the panel does, and the words a caller then reads. */
import { type Behaviour, errorEnvelope } from '../../support/stand-in-panel.ts';

export interface FailureRow {
  name: string;
  behaviour: Behaviour;
  message: string;
  powerMessage?: string;
  alertsOperator?: boolean;
}

const upstreamDetail = 'SQLSTATE at panel-internal.example';

const envelope = (status: number, code: string, detail = upstreamDetail) => ({
  name: `${status} ${code}${detail === upstreamDetail ? '' : ` (${detail})`}`,
  behaviour: { status, body: errorEnvelope(status, code, detail) },
});

export const credentials = {
  message: 'The panel refused the credentials of this service; its operator has been alerted',
  alertsOperator: true,
};
const node = { message: 'The machine that hosts the server did not carry out the request; try again later' };
export const failed = {
  message: 'The panel failed; try again later',
  powerMessage: 'The panel failed; the signal may or may not have been carried out',
};
export const unreadable = {
  message: 'The panel gave an answer that could not be understood',
  powerMessage:
    'The panel gave an answer that could not be understood; the signal may or may not have been carried out',
};
const refused = (reason: string) => ({ message: `${reason}, so the panel refused the signal` });

export const failureRows: FailureRow[] = [
  { ...envelope(401, 'AuthenticationException'), ...credentials },
  { ...envelope(403, 'AccessDeniedHttpException'), ...credentials },
  ...[400, 403, 404, 500, 504].map((status) => ({
    ...envelope(status, 'DaemonConnectionException'),
    ...node,
  })),
  {
    ...envelope(
      409,
      'ServerStateConflictException',
      'This server is currently suspended and the functionality …',
    ),
    ...refused('The server is suspended'),
  },
  {
    ...envelope(
      409,
      'ServerStateConflictException',
      'The node of this server is currently under maintenance and …',
    ),
    ...refused('The machine that hosts the server is under maintenance'),
  },
  {
    ...envelope(
      409,
      'ServerStateConflictException',
      'This server has not yet completed its installation process, …',
    ),
    ...refused('The server has not finished its installation'),
  },
  {
    ...envelope(409, 'ServerStateConflictException', 'This server is currently restoring from a backup, …'),
    ...refused('The server is being restored from a backup'),
  },
  {
    ...envelope(
      409,
      'ServerStateConflictException',
      'This server is currently being transferred to a new machine, …',
    ),
    ...refused('The server is being moved to another machine'),
  },
  {
    ...envelope(409, 'ServerStateConflictException'),
    message: 'The panel refused the signal in the present state of the server',
  },
  { ...envelope(422, 'ValidationException'), message: 'The panel did not accept the request' },
  { ...envelope(429, 'ThrottleRequestsException'), message: 'The panel is busy; try again later' },
  { ...envelope(500, 'QueryException'), ...failed },
  { name: '500 HTML', behaviour: { status: 500, body: '<h1>Whoops</h1>' }, ...failed },
  { name: '502 from a proxy', behaviour: { status: 502, body: '<h1>Bad gateway</h1>' }, ...failed },
  { name: '503 empty', behaviour: { status: 503 }, ...failed },
  { name: '404 HTML', behaviour: { status: 404, body: '<h1>Not found</h1>' }, ...unreadable },
  { name: '404 of another kind', behaviour: { status: 404, body: { errors: [] } }, ...unreadable },
  { name: '200 HTML', behaviour: { status: 200, body: '<h1>Welcome</h1>' }, ...unreadable },
  { name: '200 empty', behaviour: { status: 200 }, ...unreadable },
  { name: '200 bad JSON', behaviour: { status: 200, body: '{"object":' }, ...unreadable },
  { name: '200 JSON of another shape', behaviour: { status: 200, body: { object: 'user' } }, ...unreadable },
  { name: '302', behaviour: { status: 302, headers: { Location: '/auth/login' } }, ...unreadable },
  {
    name: 'a reset connection',
    behaviour: 'reset',
    message: 'The connection to the panel was lost; try again later',
    powerMessage: 'The connection to the panel was lost; the signal may or may not have been carried out',
  },
];
