/**
 * Listens to what a run lets others read, logs, output and arguments of processes, for the secrets that were issued in
 * it, whole or cut. A secret stands only where it is announced: in what a start and `key issue` print this once.
 */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { isWellFormedSecret, prefixOf } from '../../models/key-format.ts';

/** So much of a secret gives it away. */
const tellingLength = 16;

const runs = new RegExp(`[\\w-]{${tellingLength},}`, 'g');
const keys = /gamehost_live_[0-9A-Za-z]+/g;

/** The lines of a start that are for people: set off from the log, which is JSON, and from JSON that is set in lines. */
const forPeople = /^ {2,6}[A-Za-z]/;

/** The commands whose result is a secret. */
const announcing = /\bcli\b.*\b(key issue|seed)\b/;

type Listener = (text: string) => void;

export class SecretWatch {
  /** What was found, and where; never the secret itself. */
  readonly leaks: string[] = [];
  readonly #telling = new Set<string>();
  readonly #endings: (() => void)[] = [];
  /** How much has been listened to, for how many secrets. */
  readonly heard = { lines: 0, secrets: 0 };

  /** A secret that from now on stands nowhere. */
  keep(secret: string): void {
    // The first characters of a key are shown, to tell keys apart.
    const hidden = isWellFormedSecret(secret) ? secret.slice(prefixOf(secret).length) : secret;
    for (const window of windowsOf(hidden)) this.#telling.add(window);
    this.heard.secrets += 1;
  }

  /** Hears text as it comes; judges it line by line, whatever the pieces. */
  listenTo(where: string, judge = (line: string) => this.#judge(where, line)): Listener {
    let rest = '';
    this.#endings.push(() => judge(rest));
    return (text) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) judge(line);
    };
  }

  /** Hears a process: the arguments it was given, which every user of the machine can read, and what it prints. */
  listenToProcess({ spawnargs = [], stdout, stderr }: ChildProcess): void {
    const command = spawnargs.join(' ');
    this.#judge('the arguments of a process', command);
    overhear(stderr, this.listenTo('the error output of a process'));
    overhear(
      stdout,
      this.listenTo('the output of a process', (line) => this.#judgeOutput(command, line)),
    );
  }

  /** Judges what has not ended with a line. */
  end(): void {
    for (const judgeRest of this.#endings.splice(0)) judgeRest();
  }

  #judgeOutput(command: string, line: string): void {
    const announced = forPeople.test(line) || announcing.test(command) ? keysIn(line) : [];
    for (const secret of announced) this.keep(secret);
    if (announced.length === 0) this.#judge('the output of a process', line);
  }

  #judge(where: string, line: string): void {
    this.heard.lines += 1;
    const isKeyTold = keysIn(line).length > 0;
    const isPartTold = (line.match(runs) ?? []).some((run) =>
      windowsOf(run).some((part) => this.#telling.has(part)),
    );
    if (isKeyTold || isPartTold) this.leaks.push(`${where}: ${line.replace(runs, '[...]')}`);
  }
}

const keysIn = (line: string): string[] => (line.match(keys) ?? []).filter(isWellFormedSecret);

const windowsOf = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - tellingLength + 1) }, (_, start) =>
    text.slice(start, start + tellingLength),
  );

/** Hears a stream without reading it: whoever does gets everything, whenever they begin. */
function overhear(stream: Readable | null, listen: Listener): void {
  if (!stream) return;
  const push = stream.push.bind(stream);
  stream.push = (chunk, encoding) => {
    if (chunk) listen(String(chunk));
    return push(chunk, encoding);
  };
}
