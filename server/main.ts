/** Entry point of npm start: reads the settings, starts the service, prints its addresses, and stops it on a signal. */

import { docsPath } from '../bridge/docs/docs.ts';
import { mcpPath } from '../bridge/mcp/mcp.ts';
import { restPrefix } from '../bridge/rest/rest.ts';
import { accountPrefix } from './account/account.ts';
import { ConfigError, readConfig } from './config.ts';
import { demoEmail } from './dev/demo-data.ts';
import { createLog, type Log } from './observability/log.ts';
import { StartError } from './progress.ts';
import { type Service, startService } from './service.ts';

/** How long supervisors wait for a stop (operations/adopt.md). */
const stopMsMax = 20_000;

const print = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  const stopping = new AbortController();
  const onDatabaseExit = () => {
    fail(new StartError('The embedded MongoDB exited unexpectedly. Start the service again to restart it.'));
    stop();
  };
  const options = { reportProgress: print, signal: stopping.signal, onDatabaseExit };
  const starting = startService(config, log, options);
  const stop = once(async () => {
    print('Stopping ...');
    stopping.abort();
    // main() reports a failed start.
    await (await starting.catch(() => null))?.stop();
    print('Stopped.');
  });
  onStrayError(log, stop);
  // `once`, so that a second signal kills the process.
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

/** Without a listener, Node.js ends the process at once, and cuts off requests in progress. */
function onStrayError(log: Log, stop: () => void): void {
  const end = (err: unknown) => {
    log.fatal({ err }, 'Unhandled error: the process answers the requests in progress and then ends');
    process.exitCode = 1;
    // The same fault may prevent the stop from finishing.
    setTimeout(() => process.exit(), stopMsMax).unref();
    stop();
  };
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, end);
}

/** npm passes SIGTERM only to its shell, which exits and leaves this process running. */
function onParentExit(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), 250).unref();
}

function fail(error: unknown): void {
  const isForOperator = error instanceof ConfigError || error instanceof StartError;
  const trace = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${isForOperator ? error.message : trace}\n`);
  process.exitCode = 1;
}

function welcome({ url, metricsUrl, isEmbedded, hasDemoPanel, demo, hasDemoData }: Service): string {
  const addresses = [
    'gamehost is up.',
    '',
    `  API          ${url}${restPrefix}`,
    `  Docs         ${url}${docsPath}`,
    `  Account      ${url}${accountPrefix}`,
    `  OpenAPI      ${url}${restPrefix}/openapi.json`,
    `  MCP          ${url}${mcpPath}`,
    `  Database     ${isEmbedded ? 'embedded MongoDB' : 'MONGODB_URI'}`,
    `  Panel        ${hasDemoPanel ? 'demo panel' : 'PANEL_URL'}`,
    ...(metricsUrl ? [`  Metrics      ${metricsUrl}`] : []),
    '',
  ];
  return [...addresses, ...(demo ? credentials(demo, url) : []), ...(hasDemoData ? hints : [])].join('\n');
}

const credentials = (demo: NonNullable<Service['demo']>, url: string) => [
  '  Demo user and key, shown only once:',
  '',
  `  E-mail       ${demo.email}`,
  `  Password     ${demo.password}`,
  `  Key          ${demo.key}`,
  '',
  '  In a second terminal:',
  '',
  `  Try: curl -H "Authorization: Bearer ${demo.key}" ${url}${restPrefix}/me`,
  '',
];

const hints = [
  `  Another key: npm run -s cli -- key issue --email ${demoEmail} --name mine --scopes read:catalog,read:account`,
  '  Quieter: LOG_LEVEL=warn npm start omits the line per request.',
  '',
];

main().catch(fail);
