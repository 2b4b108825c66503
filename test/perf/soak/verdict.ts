/** What is held against a soak: answers that should not have come, memory that grows, connections that stay. */
import type { Reading } from './readings.ts';

interface Evidence {
  /** Each after garbage collection, so that only what is held counts. */
  middle: Reading;
  end: Reading;
  /** When all customers have left. */
  afterwards: Reading;
  /** Answers that should not have come, and how often. */
  unexpected: Record<string, number>;
  /** What the service said of itself, at level warn. */
  complaints: string;
  exitCode: number | null;
}

/** The pool of MongoDB, whose driver keeps up to a hundred, and a few for its monitors and the panel. */
const socketsKeptMax = 110;

/** Empty when nothing is. @param growthMax megabytes, by which memory may grow in the second half */
export function problemsOf(evidence: Evidence, growthMax: number): string[] {
  const { middle, end, afterwards, complaints, exitCode } = evidence;
  const grown = (what: string, megabytes: number) =>
    megabytes > growthMax ? [`${what} grew by ${Math.round(megabytes)} MB in the second half`] : [];
  return [
    ...Object.entries(evidence.unexpected).map(([answer, times]) => `${times} x ${answer}`),
    ...grown('the heap', end.heapMegabytes - middle.heapMegabytes),
    ...grown('memory beside the heap', end.nativeMegabytes - middle.nativeMegabytes),
    ...(afterwards.sockets > socketsKeptMax ? [`${afterwards.sockets} sockets were left open`] : []),
    ...(complaints ? [`the service complained: ${complaints}`] : []),
    ...(exitCode === 0 ? [] : [`the exit code was ${exitCode}`]),
  ];
}
