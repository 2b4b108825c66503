/** How the process is doing, as its own metrics tell. */

export interface Reading {
  rssMegabytes: number;
  heapMegabytes: number;
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
    nativeMegabytes: rssMegabytes - megabytes('nodejs_heap_size_total_bytes'),
    lagP50Ms: gauge('nodejs_eventloop_lag_p50_seconds') * 1000,
    lagP99Ms: gauge('nodejs_eventloop_lag_p99_seconds') * 1000,
    sockets: gauge('nodejs_active_resources{type="TCPSocketWrap"}'),
  };
}
