/** What the service hands to a tracer: its requests, its operations, and its calls of MongoDB and of the panel. */
import type { Row } from '../../bridge/catalogue.ts';
import type { Middleware } from '../../bridge/request-state.ts';
import type { TraceCall } from '../panel/options.ts';
import type { CommandEvents } from './commands.ts';

export interface TracingSettings {
  protocol: 'http/protobuf' | 'http/json';
  /** How long one export may take, and so how long the stop may wait for the last. */
  exportTimeoutMs: number;
  /** Whether `traceparent` is believed: a stranger's would say which of our calls are traced, and in whose trace. */
  isCallerTrusted: boolean;
}

/** Each part makes spans that are children of what is under way where it is called. */
export interface Tracing {
  /** A span for each request, the child of the caller's where `traceparent` names one. */
  traceRequests: Middleware;
  /** The same operations, with a span for each call of one. */
  traceRows(rows: Row[]): Row[];
  /** A span for each call of the panel, which is told of it. */
  traceCall: TraceCall;
  /** A span for each command of a driver's client, which must tell its commands (`monitorCommands`). */
  watchCommands(client: CommandEvents): void;
  /** Sends what is left; takes as long as one export may. */
  stop(): Promise<void>;
}
