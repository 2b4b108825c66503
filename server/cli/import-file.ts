/** Reads an NDJSON file (one JSON object per line) in constant memory, and reports every wrong line. */
import type { z } from 'zod';
import { formatZodError } from '../../routers/support/format-zod-error.ts';
import { file } from './option.ts';
import { CommandError, printable } from './print.ts';
import { decodeFile } from './text-input.ts';

const lineLengthMax = 64 * 1024;
const batchSize = 500;

interface ImportFile<Entry> {
  /** Yields the valid lines. Each call parses the file again. */
  readBatches(): AsyncIterable<Entry[]>;
  /** Whether a line is invalid: then nothing must be stored. */
  isDryRun: boolean;
  /**
   * @param mistakes found later in valid lines, by their position among the valid lines
   * @throws {CommandError} that lists every wrong line, if there is one
   */
  refuseMistakes(mistakes: ReadonlyMap<number, string>): void;
}

interface ImportOptions<Schema extends z.ZodType, Entry> {
  schema: Schema;
  toEntry(line: z.output<Schema>): Entry;
  uniqueFields: (keyof z.output<Schema> & string)[];
}

export const importFile = <Schema extends z.ZodType, Entry>(options: ImportOptions<Schema, Entry>) =>
  file((path) => openImportFile(path, options));

async function openImportFile<Schema extends z.ZodType, Entry>(
  path: string,
  options: ImportOptions<Schema, Entry>,
): Promise<ImportFile<Entry>> {
  const rightLines: number[] = [];
  const wrongLines = new Map<number, string>();
  const findRepeated = createRepetitionCheck(options.uniqueFields);
  for await (const { number, text } of readLines(path)) {
    const parsed = parseLine(text, options.schema);
    const mistake = 'mistake' in parsed ? parsed.mistake : findRepeated(parsed.line, number);
    if (mistake) wrongLines.set(number, mistake);
    else rightLines.push(number);
  }
  return {
    readBatches: () => readBatches({ path, rightLines }, options),
    isDryRun: wrongLines.size > 0,
    refuseMistakes(mistakes) {
      for (const [position, mistake] of mistakes) wrongLines.set(rightLines[position] ?? 0, mistake);
      if (wrongLines.size === 0) return;
      const sorted = [...wrongLines].sort(([first], [second]) => first - second);
      throw notImported(
        path,
        sorted.map(([number, what]) => ({ where: `line ${number}: `, what })),
      );
    },
  };
}

function createRepetitionCheck<Line>(fields: (keyof Line & string)[]) {
  const seen = new Map<string, number>();
  return (line: Line, number: number): string | null => {
    for (const field of fields) {
      const key = `${field} ${line[field]}`;
      const first = seen.get(key);
      if (first !== undefined) return `${field} is the same as in line ${first}`;
      seen.set(key, number);
    }
    return null;
  };
}

function parseLine<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
): { line: z.output<Schema> } | { mistake: string } {
  if (text.length > lineLengthMax) return { mistake: `is longer than ${lineLengthMax / 1024} KiB` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (failure) {
    return { mistake: `is not JSON: ${printable(String(failure))}` };
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? { line: parsed.data } : { mistake: formatZodError(parsed.error) };
}

async function* readBatches<Schema extends z.ZodType, Entry>(
  { path, rightLines }: { path: string; rightLines: readonly number[] },
  { schema, toEntry }: ImportOptions<Schema, Entry>,
) {
  let batch: Entry[] = [];
  let position = 0;
  for await (const { number, text } of readLines(path)) {
    if (number !== rightLines[position]) continue;
    position += 1;
    batch.push(toEntry(schema.parse(JSON.parse(text))));
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Yields lines that are not blank, numbered from 1. A line over the bound is cut, but stays too long. */
async function* readLines(path: string): AsyncGenerator<{ number: number; text: string }> {
  let number = 1;
  let rest = '';
  for await (const part of decodeFile(path)) {
    const [first = '', ...others] = part.split('\n');
    rest += first.slice(0, lineLengthMax + 1 - rest.length);
    for (const next of others) {
      if (rest.trim() !== '') yield { number, text: rest };
      number += 1;
      rest = next.slice(0, lineLengthMax + 1);
    }
  }
  if (rest.trim() !== '') yield { number, text: rest };
}

interface Mistake {
  where: string;
  what: string;
}

const equalShown = 5;

/** One line per mistake. Lists the first few of equal mistakes, and how many more there are. */
export function listMistakes(mistakes: readonly Mistake[]): string[] {
  const counts = new Map<string, number>();
  const shown = mistakes.flatMap(({ where, what }) => {
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    return count > equalShown ? [] : [`${where}${what}`];
  });
  const left = [...counts].flatMap(([what, count]) =>
    count > equalShown ? [`and ${count - equalShown} more: ${what}`] : [],
  );
  return [...shown, ...left];
}

export function notImported(path: string, mistakes: readonly Mistake[], note = ''): CommandError {
  const listed = listMistakes(mistakes);
  const named = listed.slice(0, 200).map((mistake) => `  ${mistake}`);
  const more = listed.length - named.length;
  const lines = more > 0 ? [...named, `  and ${more} more`] : named;
  return new CommandError([`${path} was not imported${note}:`, ...lines].join('\n'));
}
