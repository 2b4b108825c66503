/** npm start: reads the settings, starts the service, says where it is, and stops it cleanly when asked to. */
import { ConfigError, readConfig } from './config.ts';
import { StartError } from './embedded/say.ts';
import { createLog } from './log.ts';
import { startService } from './service.ts';
import { welcome } from './welcome.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  const ending = new AbortController();
  const starting = startService(config, log, { say, signal: ending.signal });
  const stop = onlyOnce(async () => {
    say('Stopping ...');
    ending.abort();
    // A start that failed is told by main.
    await (await starting.catch(() => null))?.stop();
    say('Stopped.');
  });
  // Once: a second signal ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  if (config.isRunByNpm) whenOrphaned(stop);
  const service = await starting.catch((failure) => {
    if (!ending.signal.aborted) throw failure;
  });
  if (service) say(welcome(service));
}

function onlyOnce(act: () => Promise<void>): () => void {
  let hasBegun = false;
  return () => {
    if (!hasBegun) act().catch(fail);
    hasBegun = true;
  };
}

/** npm passes SIGTERM on to its shell only, which dies of it and leaves us behind. */
function whenOrphaned(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), 250).unref();
}

/** What an operator can mend is said in its own words; anything else with its trace. */
function fail(failure: unknown): void {
  const isForOperator = failure instanceof ConfigError || failure instanceof StartError;
  const trace = failure instanceof Error ? failure.stack : String(failure);
  process.stderr.write(`${isForOperator ? failure.message : trace}\n`);
  process.exitCode = 1;
}

main().catch(fail);
