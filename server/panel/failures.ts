/**
 * Every way a call of the panel can fail, with the message a caller may read.
 * Messages are ours alone: upstream text and host names stay in the failure's details, for the log.
 */
import { ApiError, badRequest, panelBusy, tryLater, upstreamFailed } from '../../routers/errors.ts';

interface FailureRow {
  /** What happened, as the beginning of a message. */
  event: string;
  /** What the caller is told to do; nothing where it is left out. */
  advice?: 'retry' | 'refused' | 'full';
  /** A write may have been carried out all the same. */
  isOutcomeUnknown?: true;
  /** The whole panel is affected, not one server or one node: counts towards opening the circuit. */
  isOutage?: true;
  /** Logged as an error: only the operator can fix it. */
  operatorMessage?: string;
}

const unreadable = {
  event: 'The panel gave an answer that could not be understood',
  isOutcomeUnknown: true,
} as const;
const unknown = { advice: 'retry', isOutcomeUnknown: true } as const;
const failed = { ...unknown, event: 'The panel failed' } as const;

/** What only the operator can mend, in words for customers, who need not know. */
const forOperator = <Message extends string>(operatorMessage: Message) =>
  ({ event: 'The panel is not available', advice: 'retry', operatorMessage }) as const;

const table = {
  credentials: forOperator(
    'The panel refused our key: check that it is valid, that its allowed addresses include this machine, and that it has the permissions it needs',
  ),
  twoFactorRequired: forOperator(
    'The panel requires two-factor authentication of the owner of our key: turn it on for that user',
  ),
  keyWithoutRights: forOperator(
    'The owner of PANEL_CLIENT_KEY is no root administrator of the panel, so it shows no server of a customer: use a key of one who is',
  ),
  redirected: {
    ...forOperator('The panel answered with a redirect: PANEL_URL must be its own address, with its scheme'),
    isOutage: true,
  },
  challenged: forOperator(
    'What stands before the panel refused our request: let this service through to the panel',
  ),
  node: { event: 'The machine that hosts the server did not carry out the request', advice: 'retry' },
  suspended: { event: 'The server is suspended', advice: 'refused' },
  maintenance: { event: 'The machine that hosts the server is under maintenance', advice: 'refused' },
  installing: { event: 'The server has not finished its installation', advice: 'refused' },
  installFailed: { event: 'The installation of the server has failed', advice: 'refused' },
  restoring: { event: 'The server is being restored from a backup', advice: 'refused' },
  transferring: { event: 'The server is being moved to another machine', advice: 'refused' },
  conflict: { event: 'The state of the server does not allow this', advice: 'refused' },
  invalid: { event: 'The panel did not accept the request' },
  quotaReached: { event: 'The server has all the backups it may have', advice: 'full' },
  backupLocked: { event: 'The backup is locked', advice: 'refused' },
  /** The panel's limit for one server. */
  serverThrottled: { event: 'The panel limits how often this may be done', advice: 'retry' },
  /** The panel's limit for its user, which all our callers share. */
  throttled: { event: panelBusy, advice: 'retry', isOutage: true },
  /** An error of the panel's application at one request: the panel itself is up. */
  requestFailed: failed,
  failed: { ...failed, isOutage: true },
  /** JSON of an unexpected shape, or too much of it: the panel itself is up. */
  malformed: unreadable,
  tooLong: unreadable,
  tooManySchedules: {
    event:
      'The panel has more schedules of the server than are read here (100, and 256 KiB of them): delete some in the panel',
  },
  unreadable: { ...unreadable, isOutage: true },
  unreachable: { event: 'The panel could not be reached', advice: 'retry', isOutage: true },
  connectionLost: { ...unknown, event: 'The connection to the panel was lost', isOutage: true },
  timedOut: { ...unknown, event: 'The panel did not answer in time', isOutage: true },
  /** A call that needs a node got no answer: it is the node that hangs, as far as anybody knows. */
  nodeTimedOut: { ...unknown, event: 'The machine that hosts the server did not answer in time' },
  /** Of our own bounds; the call was not made. */
  busy: { event: panelBusy, advice: 'retry' },
  nodeBusy: { event: 'The machine that hosts the server is too busy to answer', advice: 'retry' },
  /** Only the reserve for writes is left of the panel's limit; the call was not made. */
  reserved: { event: panelBusy, advice: 'retry' },
  /** Of our own bound for one customer; the call was not made. */
  customerThrottled: { event: 'Your account asks the panel too often', advice: 'retry' },
  circuitOpen: { event: 'The panel is unavailable', advice: 'retry' },
} as const satisfies Record<string, FailureRow>;

export type FailureKind = keyof typeof table;

export const failureTable: Readonly<Record<FailureKind, FailureRow>> = table;

/** Why a call has failed, for the operator: with the setting to look at, and what the panel or the connection said. */
export function describeFailure({ kind, details }: PanelFailure, setting: string): string {
  const { event, operatorMessage = event } = failureTable[kind];
  const detail = [details.upstreamDetail, details.transportMessage, details.target].find(Boolean);
  return `${operatorMessage} (${detail ? `${setting}: ${detail}` : setting})`;
}

/** Why something is unknown, for a caller. */
export const reasonOf = (kind: FailureKind) => `${failureTable[kind].event}.`;

export const unknownStateReason = 'The server is in a state for which this API has no word.';

interface FailureDetails {
  status?: number;
  /** `errors[0]` of the panel's envelope. */
  upstreamCode?: string;
  upstreamDetail?: string;
  /** Of the connection, such as ECONNRESET. */
  transportCode?: string;
  transportMessage?: string;
  /** Why a response could not be used. */
  reason?: string;
  /** Where a redirect leads, or what was asked; without a query. */
  target?: string;
  /** Of the calls in a minute, that is used up. */
  limit?: number;
}

/** A failed call, for the log: its message and details may name hosts and quote the panel. */
export class PanelFailure extends Error {
  override readonly name = 'PanelFailure';
  readonly kind: FailureKind;
  readonly details: FailureDetails;
  /** How long the panel requires us to wait; 0 when it did not. */
  readonly retryAfterMs: number;
  /** Whether it was found by a call about no server, whatever was asked for. */
  concernsNoServer = false;

  constructor(kind: FailureKind, details: FailureDetails = {}, retryAfterMs = 0) {
    super(`panel call failed: ${[kind, ...Object.values(details)].join(' ')}`);
    this.kind = kind;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Failures of calls for which the panel asks no node: the panel is to blame, not the machine. */
const kindsOfPanel: Partial<Record<FailureKind, FailureKind>> = {
  node: 'requestFailed',
  nodeTimedOut: 'timedOut',
  nodeBusy: 'busy',
};

/** Throws the failure of such a call, which is not blamed on the machine that hosts the server. */
export function rethrowWithoutBlamingNode(error: unknown): never {
  const kind = error instanceof PanelFailure && kindsOfPanel[error.kind];
  throw kind ? new PanelFailure(kind, error.details, error.retryAfterMs) : error;
}

const unsent: readonly FailureKind[] = ['busy', 'nodeBusy', 'reserved', 'customerThrottled', 'circuitOpen'];

/** Of a call that was not made. */
export const isUnsent = (error: unknown) => error instanceof PanelFailure && unsent.includes(error.kind);

export const isOutage = (error: unknown): error is PanelFailure =>
  error instanceof PanelFailure && failureTable[error.kind].isOutage === true;

/** Says nothing about the one server or its node. */
export const concernsWholePanel = ({ kind }: PanelFailure) => !showsPanelWorking(kind);

/** The requests to the panel, as messages name them. */
const requests = {
  read: { noun: 'request' },
  power: { noun: 'signal', done: 'carried out' },
  command: { noun: 'command', done: 'carried out' },
  backup: { noun: 'backup', done: 'created' },
  deletion: { noun: 'deletion', done: 'carried out' },
  schedule: { noun: 'schedule', done: 'written' },
  /** After its first call: what that leaves is known. */
  restOfSchedule: { noun: 'schedule' },
  run: { noun: 'run', done: 'begun' },
  fileWrite: { noun: 'file', done: 'written', doubt: 'may have been' },
  fileMove: { noun: 'file', done: 'moved', doubt: 'may have been' },
  fileDelete: { noun: 'files', done: 'deleted', doubt: 'may have been' },
  /** What is done before a file from an address gets its path. */
  pull: { noun: 'file' },
  fileFetch: { noun: 'file', done: 'fetched', doubt: 'may have been' },
  directory: { noun: 'directory', done: 'created', doubt: 'may have been' },
  /** What is looked at before a restore. */
  restorable: { noun: 'restore' },
  restore: { noun: 'restore', done: 'begun' },
  /** Nodes delete the files before they look for the archive. */
  emptyingRestore: { noun: 'restore', done: 'begun', loss: 'the files of the server may be gone' },
} as const;

export type PanelAction = keyof typeof requests;

/** The server is in the midst of something else. */
const busyServerKinds: readonly FailureKind[] = ['installing', 'restoring', 'transferring'];

/** What is the caller's to mend. */
const badRequestKinds: Partial<Record<PanelAction, readonly FailureKind[]>> = {
  backup: ['quotaReached'],
  deletion: ['backupLocked'],
  // Its tasks are gone, or its first one is a backup.
  run: ['invalid', 'quotaReached'],
  pull: ['invalid'],
  restorable: busyServerKinds,
  // The last is how a panel refuses where the server became busy between two of its own looks.
  restore: [...busyServerKinds, 'invalid'],
  emptyingRestore: [...busyServerKinds, 'invalid'],
};

/** What the panel limits for each server. */
const limitedRequests: readonly PanelAction[] = ['backup', 'pull', 'schedule', 'restOfSchedule', 'run'];

/** What the caller gets: our words, and in whole seconds how long the panel requires us to wait. */
function toApiError(failure: PanelFailure, request: PanelAction) {
  const message = messageOf(failure.kind, request);
  const isOutcomeUnknown =
    failureTable[failure.kind].isOutcomeUnknown === true && 'done' in requests[request];
  if (badRequestKinds[request]?.includes(failure.kind)) return badRequest(message, failure);
  const isOfCaller =
    failure.kind === 'customerThrottled' ||
    (limitedRequests.includes(request) && failure.kind === 'serverThrottled');
  if (isOfCaller)
    return new ApiError('rate_limited', message, {
      cause: failure,
      retryAfterSeconds: Math.max(1, Math.ceil(failure.retryAfterMs / 1000)),
    });
  return upstreamFailed(message, {
    cause: failure,
    isOutcomeUnknown,
    ...(failure.retryAfterMs > 0 && { retryAfterSeconds: Math.ceil(failure.retryAfterMs / 1000) }),
  });
}

/** Throws what the caller gets of a request that failed. */
export const rethrowFor = (request: PanelAction) => (error: unknown) => {
  throw error instanceof PanelFailure ? toApiError(error, request) : error;
};

function messageOf(kind: FailureKind, request: PanelAction) {
  const { event, advice, isOutcomeUnknown } = failureTable[kind];
  const { noun, ...write } = requests[request];
  const loss = 'loss' in write ? write.loss : null;
  if (isOutcomeUnknown && 'done' in write)
    return `${event}; the ${noun} ${'doubt' in write ? write.doubt : 'may or may not have been'} ${write.done}${loss ? `, and ${loss}` : ''}`;
  if (loss && kind === 'node') return `${event}; ${loss}`;
  const refusal = `${event}, so the panel refused the ${noun}`;
  if (advice === 'full') return refusal;
  if (advice === 'refused') return `${refusal}; a retry does not help until that has changed`;
  return advice === 'retry' ? tryLater(event) : event;
}

/** The panel's two APIs, each with its own key and its own rate limit. */
export type PanelApi = 'application' | 'client';

/** How a call ended, for metrics and readiness. `answered` includes 404; `circuitOpen` calls were not made. */
type PanelOutcome = 'answered' | FailureKind;

/** How a read of a console ended, for metrics; `refused`: the panel no longer has the server. */
export type ConsoleReadOutcome = 'read' | 'refused' | FailureKind;

/** @param isOfPanel whether a failure shows something of the panel as a whole */
export type OnOutcome = (api: PanelApi, outcome: PanelOutcome, isOfPanel: boolean) => void;

export const panelOutcome = (error: unknown): PanelOutcome =>
  error instanceof PanelFailure ? error.kind : 'answered';

/** Whether the panel as a whole works, as far as one outcome shows. */
export const showsPanelWorking = (outcome: PanelOutcome) =>
  outcome === 'answered' ||
  !(
    failureTable[outcome].isOutage ||
    outcome === 'circuitOpen' ||
    failureTable[outcome].operatorMessage !== undefined
  );
