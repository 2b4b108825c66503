/**
 * Starts spans, and tracks the active one with our own instance of OpenTelemetry's context manager: its globals would be
 * shared by all services of a process. Spans hold no key, body, query or error message.
 */
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { asApiError } from '../../../routers/errors.ts';
import type { DatabaseClient } from '../../database.ts';
import { PanelFailure } from '../../panel/failures.ts';

interface SpanOptions {
  kind: SpanKind;
  attributes?: Attributes;
}

export class Spans {
  readonly #tracer: Tracer;
  readonly #contexts = new AsyncLocalStorageContextManager().enable();
  readonly #propagator = new W3CTraceContextPropagator();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Starts a root span if the headers have no `traceparent`. */
  runFrom<Result>(headers: object, options: SpanOptions, work: (span: Span) => Promise<Result>) {
    const parent = this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    return this.#run(this.#tracer.startSpan('request', options, parent), parent, work);
  }

  run<Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result> {
    const parent = this.#contexts.active();
    return this.#run(this.#tracer.startSpan(name, options, parent), parent, work);
  }

  /** A child of the active span, which the caller must end; null if no span is active or it is not sampled. */
  start(name: string, options: SpanOptions): Span | null {
    const context = this.#contexts.active();
    if (!trace.getSpan(context)?.isRecording()) return null;
    return this.#tracer.startSpan(name, options, context);
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    this.#propagator.inject(this.#contexts.active(), headers, defaultTextMapSetter);
    return headers;
  }

  async #run<Result>(span: Span, parent: Context, work: (span: Span) => Promise<Result>): Promise<Result> {
    try {
      return await this.#contexts.with(trace.setSpan(parent, span), () => work(span));
    } catch (error) {
      recordError(span, error);
      throw error;
    } finally {
      span.end();
    }
  }
}

/** Records only the kind of error; the log has the rest under the same request id. A 4xx is not an error of the span. */
function recordError(span: Span, error: unknown): void {
  const { status, apiCode } = asApiError(error);
  span.setAttribute('error.type', error instanceof PanelFailure ? error.kind : apiCode);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

export { type Span, SpanKind, SpanStatusCode };

/**
 * Creates a span for each MongoDB command of a request: the span has the command and the collection, never values.
 * Calls that share one batched command appear in the trace of the first call.
 */
export function traceCommands(client: DatabaseClient, spans: Spans): void {
  const activeSpans = new Map<number, Span>();
  const end = ({ requestId }: { requestId: number }) => {
    activeSpans.get(requestId)?.end();
    activeSpans.delete(requestId);
  };
  client.on('commandStarted', ({ requestId, commandName, databaseName, command }) => {
    const target: unknown = command[commandName];
    const collection = typeof target === 'string' ? target : null;
    const attributes = {
      'db.system.name': 'mongodb',
      'db.namespace': databaseName,
      'db.operation.name': commandName,
      ...(collection && { 'db.collection.name': collection }),
    };
    const name = collection ? `${commandName} ${collection}` : commandName;
    const span = spans.start(name, { kind: SpanKind.CLIENT, attributes });
    if (span) activeSpans.set(requestId, span);
  });
  client.on('commandSucceeded', end);
  client.on('commandFailed', (event) => {
    const span = activeSpans.get(event.requestId);
    span?.setAttribute('error.type', event.failure.name).setStatus({ code: SpanStatusCode.ERROR });
    end(event);
  });
}
