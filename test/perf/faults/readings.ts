/** Readings of a process from its own metrics. */
import { setTimeout as pass } from 'node:timers/promises';

/** Arguments of node that allow garbage collection on demand: whatever remains is still referenced. */
export const collectingArguments = `--expose-gc --import 'data:text/javascript,process.on("SIGUSR2", () => gc())'`;
/** Longer than a full collection takes. */
const collectingMs = 500;

export type Reading = Awaited<ReturnType<typeof readProcess>>;

/** Reads a program that has a METRICS_PORT. */
export async function readProcess(program: { output(): string }) {
  const [, metricsUrl = ''] = /Metrics +(\S+)/.exec(program.output()) ?? [];
  const metrics = await (await fetch(metricsUrl)).text();
  const gauge = (name: string) =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length) ?? 0,
    );
  const megabytes = (name: string) => Math.round(gauge(name) / (1024 * 1024));
  return {
    rssMegabytes: megabytes('process_resident_memory_bytes'),
    /** The heap, and buffers and other memory that its objects own outside of it. */
    heldMegabytes: megabytes('nodejs_heap_size_used_bytes') + megabytes('nodejs_external_memory_bytes'),
    /** Since the process began. */
    cpuSeconds: gauge('process_cpu_seconds_total'),
    /** Connections to customers, the panel and MongoDB. */
    sockets: gauge('nodejs_active_resources{type="TCPSocketWrap"}'),
  };
}

/** Reads after garbage collection; the program needs `collectingArguments`. */
export async function readCollected(program: { pid: number; output(): string }): Promise<Reading> {
  process.kill(program.pid, 'SIGUSR2');
  await pass(collectingMs);
  return readProcess(program);
}
