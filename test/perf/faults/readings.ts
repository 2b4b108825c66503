/** How the process is doing, as its own metrics tell. */
import { setTimeout as pass } from 'node:timers/promises';

/** Arguments of node: the process collects garbage when told to, and what remains is still referenced. */
export const collectingArguments = `--expose-gc --import 'data:text/javascript,process.on("SIGUSR2", () => gc())'`;
/** A full collection takes less. */
const collectingMs = 500;

export type Reading = Awaited<ReturnType<typeof readProcess>>;

/** Of a program that has a METRICS_PORT. */
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
    /** Connections with customers, the panel and MongoDB. */
    sockets: gauge('nodejs_active_resources{type="TCPSocketWrap"}'),
  };
}

/** After garbage collection; of a program that was started with `collectingArguments`. */
export async function readCollected(program: { pid: number; output(): string }): Promise<Reading> {
  process.kill(program.pid, 'SIGUSR2');
  await pass(collectingMs);
  return readProcess(program);
}
