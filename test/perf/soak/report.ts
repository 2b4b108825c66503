/** The figures of a soak as lines: one for each stretch of time, and what they come to. */
import type { Reading } from './readings.ts';
import type { SteadyLoad } from './steady-load.ts';
import type { Course } from './watch.ts';

const columns = [
  'seconds',
  'requests',
  'unexpected',
  'p50 ms',
  'p99 ms',
  'RSS MB',
  'heap MB',
  'loop p50 ms',
  'loop p99 ms',
  'sockets',
];

const toLine = (cells: readonly (string | number)[]) =>
  cells.map((cell, column) => String(cell).padStart(columns[column]?.length ?? 0)).join('  ');

export const tableHead = toLine(columns);

/** Where things stand at the end of a stretch; of the delays of the event loop in it, the median is shown. */
export function describeProgress(load: SteadyLoad, stretch: readonly Reading[]): string {
  const { p50, p99 } = load.takeLatency();
  const now = stretch.at(-1);
  const delay = (pick: (reading: Reading) => number) => median(stretch.map(pick)).toFixed(1);
  return toLine([
    Math.round(load.elapsedMs() / 1000),
    ...[load.sent, sum(load.unexpected), p50.toFixed(1), p99.toFixed(1)],
    ...[now?.rssMegabytes.toFixed(0) ?? '', now?.heapMegabytes.toFixed(0) ?? ''],
    ...[delay(({ lagP50Ms }) => lagP50Ms), delay(({ lagP99Ms }) => lagP99Ms)],
    now?.sockets ?? '',
  ]);
}

export function describeSummary(
  load: SteadyLoad,
  { readings, start, middle, end }: Course,
  afterwards: Reading,
): string {
  const statuses = Object.entries(load.statuses).map(([status, times]) => `${times} x ${status}`);
  const collected = (pick: (reading: Reading) => number) => course([start, middle, end].map(pick));
  const half = Math.ceil(readings.length / 2);
  const halves = [readings.slice(0, half), readings.slice(half)];
  const delay = (pick: (reading: Reading) => number) => course(halves.map((part) => median(part.map(pick))));
  const sockets = [start, middle, end, afterwards].map((reading) => reading.sockets);
  return [
    '',
    `Requests: ${load.sent}, ${rateOf(load)} a second; unexpected answers: ${sum(load.unexpected)}`,
    `Answers: ${statuses.join(', ')}`,
    'After garbage collection at start, middle and end:',
    `  RSS ${collected(({ rssMegabytes }) => rssMegabytes)} MB`,
    `  heap ${collected(({ heapMegabytes }) => heapMegabytes)} MB`,
    `  beside the heap ${collected(({ nativeMegabytes }) => nativeMegabytes)} MB`,
    `RSS at its highest: ${Math.max(...readings.map(({ rssMegabytes }) => rssMegabytes)).toFixed(0)} MB`,
    'Delay of the event loop in the first half and the second, median of the seconds:',
    `  p50 ${delay(({ lagP50Ms }) => lagP50Ms)} ms, p99 ${delay(({ lagP99Ms }) => lagP99Ms)} ms`,
    `Sockets at start, middle, end and when all had left: ${sockets.join(', ')}`,
  ].join('\n');
}

const rateOf = (load: SteadyLoad) => Math.round(load.sent / (load.elapsedMs() / 1000));

const course = (values: number[]) => values.map((value) => value.toFixed(1)).join(', ');

const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((total, times) => total + times, 0);

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
