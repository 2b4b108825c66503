/**
 * Every way the panel can fail us, with the words a caller may read.
 * The words are ours alone: upstream text and host names stay in the failure's details, for the log.
 */
import { upstreamFailed } from '../../routers/errors.ts';

interface FailureRow {
  message: string;
  /** For a power signal, where the failure leaves open whether it was carried out. */
  powerMessage?: string;
  /** The whole panel is affected, not one server or node: counts towards leaving it alone. */
  outage: boolean;
  /** Only the operator can mend it. */
  operator?: string;
}

const table = {
  credentials: {
    message: 'The panel refused the credentials of this service; its operator has been alerted',
    outage: false,
    operator: 'The panel refused our key: check that it is valid and has the permissions it needs',
  },
  node: {
    message: 'The machine that hosts the server did not carry out the request; try again later',
    outage: false,
  },
  suspended: { message: 'The server is suspended, so the panel refused the signal', outage: false },
  maintenance: {
    message: 'The machine that hosts the server is under maintenance, so the panel refused the signal',
    outage: false,
  },
  installing: {
    message: 'The server has not finished its installation, so the panel refused the signal',
    outage: false,
  },
  restoring: {
    message: 'The server is being restored from a backup, so the panel refused the signal',
    outage: false,
  },
  transferring: {
    message: 'The server is being moved to another machine, so the panel refused the signal',
    outage: false,
  },
  conflict: { message: 'The panel refused the signal in the present state of the server', outage: false },
  invalid: { message: 'The panel did not accept the request', outage: false },
  throttled: { message: 'The panel is busy; try again later', outage: true },
  broken: {
    message: 'The panel failed; try again later',
    powerMessage: 'The panel failed; the signal may or may not have been carried out',
    outage: true,
  },
  unreadable: {
    message: 'The panel gave an answer that could not be understood',
    powerMessage:
      'The panel gave an answer that could not be understood; the signal may or may not have been carried out',
    outage: true,
  },
  unreachable: { message: 'The panel could not be reached; try again later', outage: true },
  cutOff: {
    message: 'The connection to the panel was lost; try again later',
    powerMessage: 'The connection to the panel was lost; the signal may or may not have been carried out',
    outage: true,
  },
  timedOut: {
    message: 'The panel did not answer in time; try again later',
    powerMessage: 'The panel did not answer in time; the signal may or may not have been carried out',
    outage: true,
  },
  resting: { message: 'The panel is unavailable; try again later', outage: false },
} as const satisfies Record<string, FailureRow>;

export type FailureKind = keyof typeof table;

export const failureTable: Readonly<Record<FailureKind, FailureRow>> = table;

export interface FailureDetails {
  status?: number;
  /** `errors[0]` of the panel's envelope. */
  upstreamCode?: string;
  upstreamDetail?: string;
  /** Of the connection, such as ECONNRESET. */
  transportCode?: string;
  transportMessage?: string;
  /** Why an answer could not be read. */
  reason?: string;
}

/** A failed call, as the log wants it; its message and details may name hosts and quote the panel. */
export class PanelFailure extends Error {
  override readonly name = 'PanelFailure';
  readonly kind: FailureKind;
  readonly details: FailureDetails;
  /** How long the panel asked us to wait; 0 when it did not. */
  readonly waitMs: number;

  constructor(kind: FailureKind, details: FailureDetails = {}, waitMs = 0) {
    super(`panel call failed: ${[kind, ...Object.values(details)].join(' ')}`);
    this.kind = kind;
    this.details = details;
    this.waitMs = waitMs;
  }
}

export const isOutage = (error: Error) => error instanceof PanelFailure && failureTable[error.kind].outage;

/** What the caller is told: our words, and in whole seconds how long the panel asked to be left alone. */
export function presentFailure(failure: PanelFailure, call: 'read' | 'power') {
  const { message, powerMessage } = failureTable[failure.kind];
  const isOutcomeUnknown = call === 'power' && powerMessage !== undefined;
  return upstreamFailed(isOutcomeUnknown ? powerMessage : message, {
    cause: failure,
    isOutcomeUnknown,
    ...(failure.waitMs > 0 && { retryAfterSeconds: Math.ceil(failure.waitMs / 1000) }),
  });
}
