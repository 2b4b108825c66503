/** Structured logs on standard output, one JSON object a line. Secrets are struck out before they are written. */
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Header and field names whose values never reach a log, at any of these depths. */
const secretNames = [
  ...['authorization', 'cookie', 'set-cookie', 'x-api-key'],
  ...['password', 'secret', 'applicationKey', 'clientKey'],
];
const depths = ['', '*', '*.*', '*.*.*'];
const secretPaths = secretNames.flatMap((name) => depths.map((depth) => `${depth}["${name}"]`));

/** @param destination where the lines go instead of standard output */
export const createLog = (level: string, destination: DestinationStream = pino.destination(1)): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretPaths, censor: '[redacted]' },
    },
    destination,
  );
