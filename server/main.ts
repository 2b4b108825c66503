/** npm start: reads the settings, starts the service, says where it is, and stops it cleanly when asked to. */
import { ConfigError, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { startService } from './service.ts';
import { welcome } from './welcome.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  const service = await startService(config, log, say);
  say(welcome(service));
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    say('Stopping ...');
    await service.stop();
    say('Stopped.');
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
}

main().catch((failure: unknown) => {
  const isOurs = failure instanceof ConfigError || (failure instanceof Error && failure.name === 'StartError');
  process.stderr.write(`${isOurs ? failure.message : ((failure as Error)?.stack ?? failure)}\n`);
  process.exitCode = 1;
});
