/** Every way a call to the panel can fail, with our own message for callers. Text from the panel goes only to the log. */
import {
  ApiError,
  asApiError,
  badRequest,
  panelBusy,
  tryLater,
  upstreamFailed,
} from '../../routers/errors.ts';

interface FailureRow {
  event: string;
  advice?: 'retry' | 'refused' | 'full';
  isOutcomeUnknown?: true;
  /** Affects the whole panel, not one server or one node: counts towards opening the circuit. */
  isOutage?: true;
  /** Logged as an error: only the operator can fix it. */
  operatorMessage?: string;
}

const unreadable = {
  event: 'The panel sent a response that could not be understood',
  isOutcomeUnknown: true,
} as const;
const unknown = { advice: 'retry', isOutcomeUnknown: true } as const;
const failed = { ...unknown, event: 'The panel failed' } as const;

/** Customers get a message that does not name the cause. */
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
    "The owner of PANEL_CLIENT_KEY is not a root administrator of the panel, so the key sees no customer's server: use the key of a root administrator",
  ),
  redirected: {
    ...forOperator('The panel answered with a redirect: PANEL_URL must be its own address, with its scheme'),
    isOutage: true,
  },
  challenged: forOperator(
    'A proxy or firewall in front of the panel refused our request: let this service through to the panel',
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
  quotaReached: { event: 'The server already has all the backups it is allowed', advice: 'full' },
  backupLocked: { event: 'The backup is locked', advice: 'refused' },
  /** The panel's limit for one server. */
  serverThrottled: { event: 'The panel limits how often this may be done', advice: 'retry' },
  /** The panel's limit for the owner of our key, which all our callers share. */
  throttled: { event: panelBusy, advice: 'retry', isOutage: true },
  /** An error of the panel's application in one request: the panel itself is up. */
  requestFailed: failed,
  failed: { ...failed, isOutage: true },
  /** JSON of an unexpected shape, or too much of it: the panel itself is up. */
  malformed: unreadable,
  tooLong: unreadable,
  tooManySchedules: {
    event:
      'The server has more schedules in the panel than this API reads (100, and 256 KiB in all): delete some in the panel',
  },
  unreadable: { ...unreadable, isOutage: true },
  unreachable: { event: 'The panel could not be reached', advice: 'retry', isOutage: true },
  connectionLost: { ...unknown, event: 'The connection to the panel was lost', isOutage: true },
  timedOut: { ...unknown, event: 'The panel did not answer in time', isOutage: true },
  /** A call that needs a node got no answer, so the node is assumed to hang. */
  nodeTimedOut: { ...unknown, event: 'The machine that hosts the server did not answer in time' },
  busy: { event: panelBusy, advice: 'retry' },
  nodeBusy: { event: 'The machine that hosts the server is too busy to answer', advice: 'retry' },
  /** Only the reserve for writes is left of the panel's rate limit. */
  reserved: { event: panelBusy, advice: 'retry' },
  customerThrottled: { event: 'Your account makes too many requests to the panel', advice: 'retry' },
  circuitOpen: { event: 'The panel is unavailable', advice: 'retry' },
} as const satisfies Record<string, FailureRow>;

export type FailureKind = keyof typeof table;

export const failureTable: Readonly<Record<FailureKind, FailureRow>> = table;

export function describeFailure({ kind, details }: PanelFailure, setting: string): string {
  const { event, operatorMessage = event } = failureTable[kind];
  const detail = [details.upstreamDetail, details.transportMessage, details.target].find(Boolean);
  return `${operatorMessage} (${detail ? `${setting}: ${detail}` : setting})`;
}

export const reasonOf = (kind: FailureKind) => `${failureTable[kind].event}.`;

export const unknownStateReason = 'The server is in a state that this API does not know.';

interface FailureDetails {
  status?: number;
  /** From `errors[0]` of the panel's response. */
  upstreamCode?: string;
  upstreamDetail?: string;
  transportCode?: string;
  transportMessage?: string;
  reason?: string;
  /** A URL without its query. */
  target?: string;
  /** Calls per minute. */
  limit?: number;
}

/** A failed call. Its message and details are only for the log, because they may name hosts and quote the panel. */
export class PanelFailure extends Error {
  override readonly name = 'PanelFailure';
  readonly kind: FailureKind;
  readonly details: FailureDetails;
  /** 0: the panel requires no wait. */
  readonly retryAfterMs: number;
  /** Whether a call about no server met this failure, even if the caller's call was about one. */
  concernsNoServer = false;

  constructor(kind: FailureKind, details: FailureDetails = {}, retryAfterMs = 0) {
    super(`panel call failed: ${[kind, ...Object.values(details)].join(' ')}`);
    this.kind = kind;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/** For calls that need no node: the panel is to blame for these failures, not the machine. */
const kindsOfPanel: Partial<Record<FailureKind, FailureKind>> = {
  node: 'requestFailed',
  nodeTimedOut: 'timedOut',
  nodeBusy: 'busy',
};

export function rethrowWithoutBlamingNode(error: unknown): never {
  const kind = error instanceof PanelFailure && kindsOfPanel[error.kind];
  throw kind ? new PanelFailure(kind, error.details, error.retryAfterMs) : error;
}

const unsent: readonly FailureKind[] = ['busy', 'nodeBusy', 'reserved', 'customerThrottled', 'circuitOpen'];

export const isUnsent = (error: unknown) => error instanceof PanelFailure && unsent.includes(error.kind);

export const isOutage = (error: unknown): error is PanelFailure =>
  error instanceof PanelFailure && failureTable[error.kind].isOutage === true;

export const concernsWholePanel = ({ kind }: PanelFailure) => !showsPanelWorking(kind);

const requests = {
  read: { noun: 'request' },
  power: { noun: 'signal', done: 'carried out' },
  command: { noun: 'command', done: 'carried out' },
  backup: { noun: 'backup', done: 'created' },
  deletion: { noun: 'deletion', done: 'carried out' },
  schedule: { noun: 'schedule', done: 'written' },
  /** The calls after the first: if one fails, the state of the schedule is known. */
  restOfSchedule: { noun: 'schedule' },
  run: { noun: 'run', done: 'started' },
  /** A change of how a server starts, whose outcome is always known. */
  startup: { noun: 'change' },
  reinstallation: { noun: 'reinstallation', done: 'started' },
  fileWrite: { noun: 'file', done: 'written', doubt: 'may have been' },
  fileMove: { noun: 'file', done: 'moved', doubt: 'may have been' },
  fileDelete: { noun: 'files', done: 'deleted', doubt: 'may have been' },
  /** The steps before a fetched file is moved to its path. */
  pull: { noun: 'file' },
  fileFetch: { noun: 'file', done: 'fetched', doubt: 'may have been' },
  directory: { noun: 'directory', done: 'created', doubt: 'may have been' },
  restorable: { noun: 'restore' },
  restore: { noun: 'restore', done: 'started' },
  /** Nodes delete the files before they look for the archive. */
  emptyingRestore: { noun: 'restore', done: 'started', loss: 'the files of the server may be gone' },
} as const;

export type PanelAction = keyof typeof requests;

const busyServerKinds: readonly FailureKind[] = ['installing', 'restoring', 'transferring'];

const badRequestKinds: Partial<Record<PanelAction, readonly FailureKind[]>> = {
  backup: ['quotaReached'],
  deletion: ['backupLocked'],
  // `invalid`: the schedule has no tasks any more. `quotaReached`: its first task is a backup.
  run: ['invalid', 'quotaReached'],
  pull: ['invalid'],
  restorable: busyServerKinds,
  // A panel answers `invalid` if the server became busy between two of the panel's own checks.
  restore: [...busyServerKinds, 'invalid'],
  emptyingRestore: [...busyServerKinds, 'invalid'],
};

const limitedRequests: readonly PanelAction[] = ['backup', 'pull', 'schedule', 'restOfSchedule', 'run'];

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

export const rethrowFor = (request: PanelAction) => (error: unknown) => {
  throw error instanceof PanelFailure ? toApiError(error, request) : error;
};

function kindOf(failure: unknown): FailureKind | null {
  const cause = failure instanceof PanelFailure ? failure : asApiError(failure).cause;
  return cause instanceof PanelFailure ? cause.kind : null;
}

/** Whether the call may have taken effect although it failed. */
export function mayBeDone(failure: unknown): boolean {
  const kind = kindOf(failure);
  return kind !== null && failureTable[kind].isOutcomeUnknown === true;
}

/** Whether the call may still take effect. */
export const isLate = (failure: unknown): boolean => kindOf(failure) === 'timedOut';

/** With this message, the caller knows what is left, and may retry at once. */
export function withOutcome(failure: unknown, what: string): ApiError {
  const { apiCode, message, cause, retryAfterSeconds } = asApiError(failure);
  const options = { cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  return new ApiError(apiCode, `${message}; ${what}`, options);
}

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

export type PanelApi = 'application' | 'client';

/** How a call ended, for metrics and readiness. `answered` includes 404; for `circuitOpen`, no call was sent. */
type PanelOutcome = 'answered' | FailureKind;

/** How a read of a console ended, for metrics; `refused`: the panel no longer has the server. */
export type ConsoleReadOutcome = 'read' | 'refused' | FailureKind;

export type OnOutcome = (api: PanelApi, outcome: PanelOutcome, isOfPanel: boolean) => void;

export const panelOutcome = (error: unknown): PanelOutcome =>
  error instanceof PanelFailure ? error.kind : 'answered';

export const showsPanelWorking = (outcome: PanelOutcome) =>
  outcome === 'answered' ||
  !(
    failureTable[outcome].isOutage ||
    outcome === 'circuitOpen' ||
    failureTable[outcome].operatorMessage !== undefined
  );
