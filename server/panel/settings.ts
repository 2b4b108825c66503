/** The settings that all files of this folder share: the options with their defaults, the evidence and the gate. */
import { limitByKey } from '../../models/support/queue.ts';
import { createLimiter } from '../limit/limiter.ts';
import { withoutEndSlash } from '../setting-types.ts';
import { Evidence } from './evidence.ts';
import { PanelFailure } from './failures.ts';
import { NodeGate } from './node-gate.ts';
import {
  type CompleteOptions,
  type PterodactylPanelOptions,
  panelDefaults,
  type TraceCall,
} from './options.ts';
import { createPanelAddress } from './panel-address.ts';

export type PanelSettings = ReturnType<typeof toSettings>;

/** Concurrent calls of one customer, so that two customers cannot keep all others from the panel's workers. */
export const concurrentCallsPerCustomer = 2;

/** Concurrent writes of one customer: room for three fetches of files, which take long, and one other write. */
export const concurrentWritesPerCustomer = 4;

const untraced: TraceCall = (_traced, call) => call({});

export function toSettings(options: PterodactylPanelOptions) {
  const publicUrl = options.publicUrl && baseUrl(options.publicUrl);
  const url = baseUrl(options.url);
  const complete: CompleteOptions = {
    ...panelDefaults,
    onOutcome: () => {},
    ...options,
    publicUrl,
    url,
    limiter: options.limiter ?? createLimiter({ clock: options.clock, shared: null }),
  };
  const evidence = new Evidence(complete);
  return {
    ...complete,
    traceCall: options.traceCall ?? untraced,
    onConsoleRead: options.onConsoleRead ?? (() => {}),
    panelAddress: createPanelAddress(url, publicUrl),
    evidence,
    gate: new NodeGate(
      { total: complete.nodeCalls, ofOwner: concurrentCallsPerCustomer },
      { ...complete, evidence },
    ),
    limitWrites: limitByKey<number>({
      runningMax: concurrentWritesPerCustomer,
      waitMsMax: complete.queueMs,
      createError: (reason) => new PanelFailure('busy', { reason }, complete.queueMs),
    }),
  };
}

/** Origin and path only: a password in the configured URL must not reach customers in `panel_url`. */
function baseUrl(url: string) {
  const { origin, pathname } = new URL(url);
  return withoutEndSlash(`${origin}${pathname}`);
}
