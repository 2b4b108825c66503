/**
 * Spans and which of them is under way, kept in objects of our own: OpenTelemetry's globals would be one for all.
 * A span says what was done, how long it took and how it ended; never a key, a body, a query or a failure's own words.
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
import { asApiError } from '../../routers/errors.ts';
import { PanelFailure } from '../panel/failures.ts';

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

  /** Works within a span that is the child of the one in some headers, where there is one. */
  received<Result>(headers: object, options: SpanOptions, work: (span: Span) => Promise<Result>) {
    const parent = this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    return this.#within(this.#tracer.startSpan('request', options, parent), parent, work);
  }

  /** Works within a span that is the child of the one under way. */
  within<Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result> {
    const parent = this.#contexts.active();
    return this.#within(this.#tracer.startSpan(name, options, parent), parent, work);
  }

  /** A child of the span under way, for its caller to end; null where there is none, or nobody wants to know. */
  begin(name: string, options: SpanOptions): Span | null {
    const context = this.#contexts.active();
    if (!trace.getSpan(context)?.isRecording()) return null;
    return this.#tracer.startSpan(name, options, context);
  }

  /** The headers that hand the trace on. */
  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    this.#propagator.inject(this.#contexts.active(), headers, defaultTextMapSetter);
    return headers;
  }

  async #within<Result>(span: Span, parent: Context, work: (span: Span) => Promise<Result>): Promise<Result> {
    try {
      return await this.#contexts.with(trace.setSpan(parent, span), () => work(span));
    } catch (failure) {
      tellFailure(span, failure);
      throw failure;
    } finally {
      span.end();
    }
  }
}

/** By its kind alone: the log has the rest, under the same request id. What is the caller's fault is no error of a span. */
function tellFailure(span: Span, failure: unknown): void {
  const { status, apiCode } = asApiError(failure);
  span.setAttribute('error.type', failure instanceof PanelFailure ? failure.kind : apiCode);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

export { type Span, SpanKind, SpanStatusCode };
