/** What tracing offers to the service. */

import type { Operation } from '../../../bridge/operations.ts';
import type { Middleware } from '../../../bridge/protocol.ts';
import type { TraceCall } from '../../panel/options.ts';
import type { CommandEvents } from './spans.ts';

export interface TracingSettings {
  protocol: 'http/protobuf' | 'http/json';
  /** Limits each export, and so how long the last one may delay the stop. */
  exportTimeoutMs: number;
  /** Whether to accept `traceparent`: otherwise any caller could decide which calls are traced, and in whose trace. */
  isCallerTrusted: boolean;
}

/** Each span becomes a child of the span that is active where it starts. */
export interface Tracing {
  /** A span per request, a child of the caller's `traceparent` where there is one. */
  traceRequests: Middleware;
  /** Returns the same operations with a span per call. */
  traceOperations(operations: Operation[]): Operation[];
  /** A span per call to the panel, which gets the `traceparent`. */
  tracePanelCall: TraceCall;
  /** A span per command of the client, which needs `monitorCommands`. */
  traceCommands(client: CommandEvents): void;
  /** Exports the remaining spans; bounded by `exportTimeoutMs`. */
  stop(): Promise<void>;
}
