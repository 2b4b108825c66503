/** Structured logs on standard output, one JSON object a line. Secrets are struck out before they are written. */
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Header and field names whose values never reach a log. */
const secretPaths = ['authorization', 'cookie', 'password', 'secret', 'applicationKey', 'clientKey'].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`],
);

/** @param destination where the lines go instead of standard output */
export const createLog = (level: string, destination: DestinationStream = pino.destination(1)): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: [...secretPaths, '*["x-api-key"]', '*.*["x-api-key"]'], censor: '[redacted]' },
    },
    destination,
  );
