/** How the process is doing, as its own metrics tell. */
import { setTimeout as pass } from 'node:timers/promises';

/** Arguments of node: the process collects garbage when told to, and what remains is still referenced. */
export const collectingArguments = `--expose-gc --import 'data:text/javascript,process.on("SIGUSR2", () => gc())'`;
/** A full collection takes less. */
const collectingMs = 500;

export interface Reading {
  rssMegabytes: number;
  heapMegabytes: number;
  /** Buffers and other memory that objects of the heap own outside of it. */
  externalMegabytes: number;
  /** The resident set without the heap: buffers, code, threads. */
  nativeMegabytes: number;
  /** Of the event loop, since the reading before. */
  lagP50Ms: number;
  lagP99Ms: number;
  /** Connections with customers, the panel and MongoDB. */
  sockets: number;
}

/**
 * Of a program that has a METRICS_PORT. Reading resets the delay of the event loop: it must have one reader.
 */
export async function readProcess(program: { output(): string }): Promise<Reading> {
  const [, metricsUrl = ''] = /Metrics +(\S+)/.exec(program.output()) ?? [];
  const metrics = new Map(
    (await (await fetch(metricsUrl)).text()).split('\n').map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end))];
    }),
  );
  const gauge = (name: string) => metrics.get(name) ?? 0;
  const megabytes = (name: string) => gauge(name) / (1024 * 1024);
  const rssMegabytes = megabytes('process_resident_memory_bytes');
  return {
    rssMegabytes,
    heapMegabytes: megabytes('nodejs_heap_size_used_bytes'),
    externalMegabytes: megabytes('nodejs_external_memory_bytes'),
    nativeMegabytes: rssMegabytes - megabytes('nodejs_heap_size_total_bytes'),
    lagP50Ms: gauge('nodejs_eventloop_lag_p50_seconds') * 1000,
    lagP99Ms: gauge('nodejs_eventloop_lag_p99_seconds') * 1000,
    sockets: gauge('nodejs_active_resources{type="TCPSocketWrap"}'),
  };
}

/** After garbage collection; of a program that was started with `collectingArguments`. */
export async function readCollected(program: { pid: number; output(): string }): Promise<Reading> {
  process.kill(program.pid, 'SIGUSR2');
  await pass(collectingMs);
  return readProcess(program);
}
