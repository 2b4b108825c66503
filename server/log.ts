/** Structured logs on standard output, one JSON object a line. Secrets are struck out before they are written. */
import { type Logger, pino } from 'pino';

export type Log = Logger;

/** Header and field names whose values never reach a log. */
const secretPaths = ['authorization', 'cookie', 'password', 'secret', 'applicationKey', 'clientKey'].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`],
);

export const createLog = (level: string): Log =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: [...secretPaths, '*["x-api-key"]', '*.*["x-api-key"]'], censor: '[redacted]' },
  });
