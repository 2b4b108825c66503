/** npm start: reads the settings, starts the service, prints its addresses, and stops it on a signal. */
import { ConfigError, readConfig } from './config.ts';
import { StartError } from './dev/progress.ts';
import { createLog } from './observability/log.ts';
import { startService } from './service.ts';
import { welcome } from './welcome.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  const stopping = new AbortController();
  const starting = startService(config, log, { reportProgress: print, signal: stopping.signal });
  const stop = once(async () => {
    print('Stopping ...');
    stopping.abort();
    // main() reports a start that failed.
    await (await starting.catch(() => null))?.stop();
    print('Stopped.');
  });
  // Once: a second signal kills the process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  if (config.isRunByNpm) onParentExit(stop);
  const service = await starting.catch((error) => {
    if (!stopping.signal.aborted) throw error;
  });
  if (service) print(welcome(service));
}

function once(act: () => Promise<void>): () => void {
  let isCalled = false;
  return () => {
    if (!isCalled) act().catch(fail);
    isCalled = true;
  };
}

/** npm passes SIGTERM to its shell only, which exits and leaves this process behind. */
function onParentExit(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), 250).unref();
}

/** Prints the message alone where the operator can fix the cause, and the stack otherwise. */
function fail(error: unknown): void {
  const isForOperator = error instanceof ConfigError || error instanceof StartError;
  const trace = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${isForOperator ? error.message : trace}\n`);
  process.exitCode = 1;
}

main().catch(fail);
