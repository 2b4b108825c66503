/**
 * Scans what a run of the tests makes readable (logs, output and arguments of processes) for the secrets that were issued
 * in it, whole or cut. A secret may stand only where it is shown once: in what a first start and `key issue` print.
 */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { isWellFormedSecret, prefixOf } from '../../models/api-key/secret.ts';

/** A piece of a secret of this length gives it away. */
const pieceLength = 16;

const runs = new RegExp(`[\\w-]{${pieceLength},}`, 'g');
const keys = /gamehost_live_[0-9A-Za-z]+/g;

/** The lines of a start that are for people: indented, unlike the log, and unlike indented JSON without quotes. */
const forPeople = /^ {2,6}[A-Za-z]/;

const announcing = /\bcli\b.*\b(key issue|seed)\b/;

export class SecretWatch {
  /** Where secrets were found; never the secrets themselves. */
  readonly leaks: string[] = [];
  /** How much has been scanned, for how many secrets. */
  readonly counts = { lines: 0, secrets: 0 };
  readonly #pieces = new Set<string>();
  readonly #flushes: (() => void)[] = [];

  /** Forbids the secret from now on. */
  addSecret(secret: string): void {
    // The first characters of a key are public, so that users can distinguish keys.
    const hidden = isWellFormedSecret(secret) ? secret.slice(prefixOf(secret).length) : secret;
    for (const piece of piecesOf(hidden)) this.#pieces.add(piece);
    this.counts.secrets += 1;
  }

  /** Returns a function that takes text in chunks of any size and scans it line by line. */
  scanner(where: string, scan = (line: string) => this.#scan(where, line)): (text: string) => void {
    let rest = '';
    this.#flushes.push(() => {
      scan(rest);
      rest = '';
    });
    return (text) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) scan(line);
    };
  }

  /** Scans a process: its arguments, which every user of the machine can read, and its output. */
  scanProcess({ spawnargs = [], stdout, stderr }: ChildProcess): void {
    const command = spawnargs.join(' ');
    this.#scan('the arguments of a process', command);
    tap(stderr, this.scanner('the error output of a process'));
    tap(
      stdout,
      this.scanner('the output of a process', (line) => this.#scanOutput(command, line)),
    );
  }

  /** Scans what has not ended with a line break yet. */
  flush(): void {
    for (const flush of this.#flushes) flush();
  }

  #scanOutput(command: string, line: string): void {
    const announced = forPeople.test(line) || announcing.test(command) ? keysIn(line) : [];
    for (const secret of announced) this.addSecret(secret);
    if (announced.length === 0) this.#scan('the output of a process', line);
  }

  #scan(where: string, line: string): void {
    this.counts.lines += 1;
    const hasPiece = (line.match(runs) ?? []).some((run) =>
      piecesOf(run).some((piece) => this.#pieces.has(piece)),
    );
    if (hasPiece || keysIn(line).length > 0) this.leaks.push(`${where}: ${line.replace(runs, '[...]')}`);
  }
}

const keysIn = (line: string): string[] => (line.match(keys) ?? []).filter(isWellFormedSecret);

const piecesOf = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - pieceLength + 1) }, (_, start) =>
    text.slice(start, start + pieceLength),
  );

/** Sees every chunk of a stream without consuming it. */
function tap(stream: Readable | null, scan: (text: string) => void): void {
  if (!stream) return;
  const push = stream.push.bind(stream);
  stream.push = (chunk, encoding) => {
    if (chunk) scan(String(chunk));
    return push(chunk, encoding);
  };
}
