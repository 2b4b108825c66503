/** Structured logs on standard output, one JSON object per line, with secrets redacted. */

import { type DestinationStream, type Logger, pino } from 'pino';
import { namedIssuesMax } from '../../models/bounds.ts';
import { maskSecrets } from '../../routers/support/mask-secrets.ts';

export type Log = Logger;

const secretNames = [
  ...['authorization', 'cookie', 'set-cookie', 'x-api-key'],
  ...['password', 'secret', 'applicationKey', 'clientKey'],
];
const depths = ['', '*', '*.*', '*.*.*'];
const secretPaths = secretNames.flatMap((name) => depths.map((depth) => `${depth}["${name}"]`));

interface LoggedError {
  type: string;
  message: string;
  code?: unknown;
}

/**
 * Logs an error's chain of causes but not its other properties: the database driver's errors have circular references to
 * everything that the driver knows about its servers.
 */
function serializeError(failure: unknown): unknown {
  if (!(failure instanceof Error)) return String(failure);
  return { ...describe(failure), stack: failure.stack, causes: causesOf(failure).map(describe) };
}

function describe(failure: Error): LoggedError {
  const { message } = failure;
  const code = 'code' in failure ? { code: failure.code } : {};
  return { type: failure.constructor.name, message, ...code };
}

function causesOf(failure: Error): Error[] {
  const found: Error[] = [];
  for (let next = directCausesOf(failure); next.length > 0 && found.length < namedIssuesMax; ) {
    const added = next.filter((cause) => !found.includes(cause)).slice(0, namedIssuesMax - found.length);
    found.push(...added);
    next = added.flatMap(directCausesOf);
  }
  return found;
}

const directCausesOf = (failure: Error): Error[] =>
  [failure.cause, ...(failure instanceof AggregateError ? failure.errors : [])].filter(
    (cause) => cause instanceof Error,
  );

/** Lines that cannot be written wait in memory up to this size; further ones are dropped. */
const waitingBytesMax = 1024 * 1024;

const standardOutput = 1;

/** If the log cannot be written, such as on a full disk, the process continues. */
export function openLog(dest: number | string = standardOutput): DestinationStream {
  const destination = pino.destination({ dest, sync: true, maxLength: waitingBytesMax });
  // pino flushes after a fatal line, and on a full disk that call never returns. Each line is written at once anyway.
  destination.flushSync = () => {};
  return destination.on('error', () => {});
}

export const createLog = (level: string, destination: DestinationStream = openLog()): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => maskSecrets(escapeControls(line)) },
      serializers: { err: serializeError },
      redact: { paths: secretPaths, censor: '[redacted]' },
    },
    destination,
  );

interface Messages {
  outage: string;
  recovery: string;
}

/** Logs an outage once when it begins and once when it ends, however many calls fail in between. */
export class OutageLog {
  readonly #log: Log;
  readonly #messages: Messages;
  #isOut = false;

  constructor(log: Log, messages: Messages) {
    this.#log = log;
    this.#messages = messages;
  }

  /** Logs only the message of the error: its properties may hold sent data, such as a password. */
  reportOutage(error: unknown): void {
    if (this.#isOut) return;
    this.#isOut = true;
    this.#log.warn({ reason: error instanceof Error ? error.message : String(error) }, this.#messages.outage);
  }

  reportRecovery(): void {
    if (!this.#isOut) return;
    this.#isOut = false;
    this.#log.info(this.#messages.recovery);
  }
}

const controls = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Makes JSON safe to print without changing its value: control characters occur only within its strings. */
export const escapeControls = (json: string): string => json.replace(controls, escaped);
