/** Structured logs on standard output, one JSON object per line, with secrets redacted. */
import { type DestinationStream, type Logger, pino } from 'pino';
import { maskSecrets } from '../../routers/mask-secrets.ts';
import { escapeControls } from './escape-controls.ts';

export type Log = Logger;

/** Header and field names whose values are redacted at each of the depths below. */
const secretNames = [
  ...['authorization', 'cookie', 'set-cookie', 'x-api-key'],
  ...['password', 'secret', 'applicationKey', 'clientKey'],
];
const depths = ['', '*', '*.*', '*.*.*'];
const secretPaths = secretNames.flatMap((name) => depths.map((depth) => `${depth}["${name}"]`));

export const createLog = (level: string, destination: DestinationStream = pino.destination(1)): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => maskSecrets(escapeControls(line)) },
      redact: { paths: secretPaths, censor: '[redacted]' },
    },
    destination,
  );
