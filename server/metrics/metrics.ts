/**
 * What the service counts for Prometheus, in a registry of its own.
 * Labels come from closed lists (operations, tongues, statuses, codes), never from what a request says.
 */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { RequestContext, RequestState } from '../../bridge/request-state.ts';
import { asApiError } from '../../routers/errors.ts';
import type { OnOutcome } from '../panel/outcome.ts';

const nobody = 'none';

export class Metrics {
  readonly registry = new Registry();
  readonly #calls = new Counter({
    name: 'gamehost_calls_total',
    help: 'Calls of operations; a batch counts as those it holds, a request that reached none as operation none.',
    labelNames: ['operation', 'status', 'tongue'],
    registers: [this.registry],
  });
  readonly #durations = new Histogram({
    name: 'gamehost_request_duration_seconds',
    help: 'Time from a request to its answer; a batch is of operation several.',
    labelNames: ['operation', 'tongue'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });
  readonly #refusals = new Counter({
    name: 'gamehost_refusals_total',
    help: 'Requests and calls that ended in an error, by its code; those of the limit are rate_limited.',
    labelNames: ['code', 'tongue'],
    registers: [this.registry],
  });
  readonly #panelCalls = new Counter({
    name: 'gamehost_panel_calls_total',
    help: 'Calls of the panel by the API used and by how they ended; resting ones were not made.',
    labelNames: ['api', 'outcome'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  countRequest({ state: { calls, via: tongue }, status }: RequestContext, durationMs: number): void {
    const [first] = calls;
    for (const call of calls)
      this.#calls.inc({ operation: call.operation ?? nobody, status: call.status, tongue });
    if (!first) this.#calls.inc({ operation: nobody, status, tongue });
    const operation = calls.length > 1 ? 'several' : (first?.operation ?? nobody);
    this.#durations.observe({ operation, tongue }, durationMs / 1000);
  }

  countFailure(failure: unknown, { via: tongue }: RequestState): void {
    this.#refusals.inc({ code: asApiError(failure).apiCode, tongue });
  }

  readonly countPanelCall: OnOutcome = (api, outcome) => {
    this.#panelCalls.inc({ api, outcome });
  };
}
