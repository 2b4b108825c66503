/**
 * Stands before one of the panel's APIs, which has its own key, its own limit and its own troubles:
 * runs calls through the breaker and tells the operator what only the operator can mend.
 */
import { createBreaker } from './breaker.ts';
import { failureTable, PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';

/** Makes the call, or throws PanelFailure at once when the panel is better left alone. */
export type Guard = <Value>(requestId: string, call: () => Promise<Value>) => Promise<Value>;

export function createGuard(api: 'application' | 'client', settings: PanelSettings): Guard {
  const breaker = createBreaker(api, settings);
  return async (requestId, call) => {
    try {
      return await breaker(call);
    } catch (error) {
      if (error instanceof PanelFailure) alertOperator(error, { api, requestId }, settings);
      throw error;
    }
  };
}

function alertOperator(failure: PanelFailure, fields: object, { log }: PanelSettings) {
  const { operator } = failureTable[failure.kind];
  if (operator) log.error({ ...fields, ...failure.details }, operator);
}
