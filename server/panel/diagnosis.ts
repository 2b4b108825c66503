/**
 * Reads which failure an answer of the panel means. The envelope's code outranks the status,
 * because the panel passes a node's status through: such a 404 speaks of a node, not of our server.
 */
import { z } from 'zod';
import { type FailureKind, failureTable, PanelFailure } from './failures.ts';
import type { PanelAnswer } from './panel-answer.ts';

const ErrorEnvelope = z.object({
  errors: z.array(z.object({ code: z.string(), detail: z.string().catch('') })).min(1),
});

const kindByCode = new Map<string, FailureKind>([
  ['DaemonConnectionException', 'node'],
  ['AuthenticationException', 'credentials'],
  ['AccessDeniedHttpException', 'credentials'],
  ['ServerStateConflictException', 'conflict'],
  ['ValidationException', 'invalid'],
  ['ThrottleRequestsException', 'throttled'],
]);

const kindByStatus = new Map<number, FailureKind>([
  [401, 'credentials'],
  [403, 'credentials'],
  [409, 'conflict'],
  [422, 'invalid'],
  [429, 'throttled'],
]);

/** The panel has one code for all of these; only its prose tells them apart. */
const conflictByProse: readonly (readonly [RegExp, FailureKind])[] = [
  [/suspended/i, 'suspended'],
  [/maintenance/i, 'maintenance'],
  [/install/i, 'installing'],
  [/restor/i, 'restoring'],
  [/transfer/i, 'transferring'],
];

const detailLengthMax = 300;

/** Whether the panel itself says that it has no such user or server. */
export const isNotFound = (answer: PanelAnswer) =>
  answer.status === 404 && readError(answer)?.code === 'NotFoundHttpException';

/** The failure behind an answer that is not the hoped-for one. */
export function diagnose(answer: PanelAnswer): PanelFailure {
  const error = readError(answer);
  const kind = findKind(answer.status, error);
  const waitMs = failureTable[kind].outage ? answer.waitMs : 0;
  const details = error && {
    upstreamCode: error.code,
    upstreamDetail: error.detail.slice(0, detailLengthMax),
  };
  return new PanelFailure(kind, { status: answer.status, ...details }, waitMs);
}

const readError = ({ body }: PanelAnswer) => ErrorEnvelope.safeParse(body).data?.errors[0];

function findKind(status: number, error: { code: string; detail: string } | undefined): FailureKind {
  const kind = kindByCode.get(error?.code ?? '') ?? kindByStatus.get(status);
  if (kind === 'conflict')
    return conflictByProse.find(([words]) => words.test(error?.detail ?? ''))?.[1] ?? kind;
  return kind ?? (status >= 500 ? 'broken' : 'unreadable');
}
