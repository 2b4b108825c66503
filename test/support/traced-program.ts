/** The program as its own process, with a trace collector, a stand-in panel, and a key whose user has one server. */
import { ownedServer, startOwnedProgram } from './owned-program.ts';
import { startTraceReceiver } from './trace-receiver.ts';

export const tracedServer = ownedServer;

export async function startTracedProgram(settings: Record<string, string>) {
  const collector = await startTraceReceiver();
  const owned = await startOwnedProgram({
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
    ...{ OTEL_BSP_SCHEDULE_DELAY: '50', ...settings },
  });
  return {
    ...owned,
    collector,
    async stop() {
      await owned.stop();
      await collector.stop();
    },
  };
}
