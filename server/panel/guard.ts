/**
 * Stands before one of the panel's APIs, which has its own key, its own limit and its own troubles:
 * runs calls through the breaker, says how they end, and tells the operator what only the operator can mend.
 */
import { createBreaker } from './breaker.ts';
import { failureTable, PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { outcomeOf, type PanelApi } from './outcome.ts';

/** Makes the call, or throws PanelFailure at once when the panel is better left alone. */
export type Guard = <Value>(requestId: string, call: () => Promise<Value>) => Promise<Value>;

export function createGuard(api: PanelApi, settings: PanelSettings): Guard {
  const breaker = createBreaker(api, settings);
  return async (requestId, call) => {
    try {
      const value = await breaker(call);
      settings.onOutcome(api, 'answered');
      return value;
    } catch (error) {
      settings.onOutcome(api, outcomeOf(error));
      if (error instanceof PanelFailure) alertOperator(error, { api, requestId }, settings);
      throw error;
    }
  };
}

function alertOperator(failure: PanelFailure, fields: object, { log }: PanelSettings) {
  const { operator } = failureTable[failure.kind];
  if (operator) log.error({ ...fields, ...failure.details }, operator);
}
