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

/** What JSON lets stand though a terminal acts on it: the 8-bit control characters, and what turns or breaks lines. */
const steering = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** @param destination where the lines go instead of standard output */
export const createLog = (level: string, destination: DestinationStream = pino.destination(1)): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => line.replace(steering, escaped) },
      redact: { paths: secretPaths, censor: '[redacted]' },
    },
    destination,
  );
