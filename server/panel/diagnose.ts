/**
 * Decides which failure a response of Pterodactyl or Pelican means. The code in the error envelope outranks the status,
 * because the panel passes a node's status through: a node's 404 does not mean that the server is gone.
 */
import { z } from 'zod';
import { cut } from '../../routers/schemas/text.ts';
import { type FailureKind, failureTable, PanelFailure } from './failures.ts';
import type { PanelResponse } from './http-client.ts';

const ErrorEnvelope = z.object({
  errors: z.array(z.object({ code: z.string(), detail: z.string().catch('') })).min(1),
});

type UpstreamError = z.infer<typeof ErrorEnvelope>['errors'][number];

const kindByCode = new Map<string, FailureKind>([
  ['DaemonConnectionException', 'node'],
  // Pelican reports a failing node with Laravel's own exceptions and status 500.
  ['ConnectionException', 'node'],
  ['RequestException', 'node'],
  ['AuthenticationException', 'credentials'],
  ['AccessDeniedHttpException', 'credentials'],
  ['TwoFactorAuthRequiredException', 'twoFactorRequired'],
  ['ServerStateConflictException', 'conflict'],
  // The panel's code when it refuses the console of a server that is being moved.
  ['HttpForbiddenException', 'conflict'],
  ['TooManyBackupsException', 'quotaReached'],
  ['BackupLockedException', 'backupLocked'],
  ['ValidationException', 'invalid'],
  ['ThrottleRequestsException', 'throttled'],
  ['TooManyRequestsHttpException', 'serverThrottled'],
  // The panel's database or cache is down, so every request fails.
  ['QueryException', 'failed'],
  ['PDOException', 'failed'],
  ['RedisException', 'failed'],
]);

/** For responses in the panel's envelope with an unknown code. */
const kindByStatus = new Map<number, FailureKind>([
  [401, 'credentials'],
  [403, 'credentials'],
  [409, 'conflict'],
  [422, 'invalid'],
  [429, 'serverThrottled'],
  [500, 'requestFailed'],
  // Pterodactyl answers a command to a stopped server with 502 HttpException.
  [502, 'node'],
  // The panel itself is in maintenance mode.
  [503, 'failed'],
  [504, 'node'],
]);

/** For responses without the envelope: from a proxy in front of the panel, or from a panel that crashed. */
const kindByBareStatus = new Map<number, FailureKind>([
  [401, 'challenged'],
  [403, 'challenged'],
  [409, 'conflict'],
  [422, 'invalid'],
  [429, 'throttled'],
]);

/** The panel has one code for all of these; only its message distinguishes them. */
const conflictByMessage: readonly (readonly [RegExp, FailureKind])[] = [
  [/suspended/i, 'suspended'],
  [/maintenance/i, 'maintenance'],
  [/install/i, 'installing'],
  [/restor/i, 'restoring'],
  [/transfer/i, 'transferring'],
];

const detailLengthMax = 300;

/** Kinds whose Retry-After is the panel's own. One that a node sent is ignored. */
const retryAfterKinds: ReadonlySet<FailureKind> = new Set(['throttled', 'serverThrottled', 'failed']);

/** The panel sends the second code if a record was deleted between two of its own reads. */
const notFoundCodes: readonly unknown[] = ['NotFoundHttpException', 'RecordNotFoundException'];

export const isNotFound = (response: PanelResponse) =>
  response.status === 404 && notFoundCodes.includes(readError(response)?.code);

/** Sent by a panel whose cache is down, and by Pelican if it cannot reach a node. */
const ambiguousCode = 'ConnectionException';

/** Whether the failure may be the node's or the panel's. Only a call that needs no node can show which. */
export const mayBeOfNode = (response: PanelResponse) => readError(response)?.code === ambiguousCode;

export function diagnose(response: PanelResponse): PanelFailure {
  const error = readError(response);
  return toFailure(response, error ? findKind(response.status, error) : findBareKind(response));
}

export const diagnosePanel = (response: PanelResponse): PanelFailure =>
  mayBeOfNode(response) ? toFailure(response, 'failed') : diagnose(response);

function toFailure(response: PanelResponse, kind: FailureKind): PanelFailure {
  const error = readError(response);
  const details = error && {
    upstreamCode: error.code,
    upstreamDetail: cut(error.detail, detailLengthMax),
  };
  const retryAfterMs = retryAfterKinds.has(kind) ? response.retryAfterMs : 0;
  const target = failureTable[kind].operatorMessage && { target: response.target };
  const limit = kind === 'throttled' && response.rateLimit && { limit: response.rateLimit.limit };
  return new PanelFailure(kind, { status: response.status, ...details, ...target, ...limit }, retryAfterMs);
}

const readError = ({ body }: PanelResponse) => ErrorEnvelope.safeParse(body).data?.errors[0];

function findKind(status: number, { code, detail }: UpstreamError): FailureKind {
  const kind = kindByCode.get(code) ?? kindByStatus.get(status);
  if (kind === 'conflict')
    return conflictByMessage.find(([pattern]) => pattern.test(detail))?.[1] ?? 'conflict';
  return kind ?? (status >= 500 ? 'requestFailed' : 'invalid');
}

function findBareKind({ status, body }: PanelResponse): FailureKind {
  if (status >= 300 && status < 400) return 'redirected';
  const kind = kindByBareStatus.get(status);
  return kind ?? (status >= 500 ? 'failed' : body === undefined ? 'unreadable' : 'malformed');
}
