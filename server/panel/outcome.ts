/** How calls of the panel end, for those who watch over it: not what was asked, only whether it serves. */
import { type FailureKind, failureTable, PanelFailure } from './failures.ts';

export type PanelApi = 'application' | 'client';

/** `answered` includes that it has no such user or server; `resting` means that it was not even asked. */
export type PanelOutcome = 'answered' | FailureKind;

export type OnOutcome = (api: PanelApi, outcome: PanelOutcome) => void;

export const outcomeOf = (error: unknown): PanelOutcome =>
  error instanceof PanelFailure ? error.kind : 'answered';

/** Whether the panel as a whole serves, as far as one outcome tells. */
export const isServing = (outcome: PanelOutcome) =>
  outcome === 'answered' ||
  !(failureTable[outcome].outage || outcome === 'resting' || outcome === 'credentials');
