/** A span for each call of an operation: what a request takes beside it is spent at the doors. */
import type { Row } from '../../bridge/catalogue.ts';
import { SpanKind, type Spans } from './spans.ts';

export const createTraceRows =
  (spans: Spans) =>
  (rows: Row[]): Row[] =>
    rows.map((row) => ({
      ...row,
      call: (options) => spans.within(row.name, { kind: SpanKind.INTERNAL }, () => row.call(options)),
    }));
