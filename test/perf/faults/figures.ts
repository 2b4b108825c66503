/** The figures of a run: each fault leaves a row, and when all is over they are printed, sums and extremes below. */
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What one fault showed; what does not apply is left out. */
export interface Figures {
  /** Answers a second, good ones, before, during and after the fault. */
  answersPerSecond?: number;
  /** Writes answered with 201. */
  acknowledged?: number;
  /** Of these, writes that are not there afterwards. */
  lost?: number;
  /** Writes that are there more than once. */
  twice?: number;
  /** Answers that were no success, by status; 0 stands for none at all, a connection refused or broken. */
  errors?: Record<string, number>;
  longestErrorMs?: number;
  /** From the fault to the next write that succeeded. */
  recoveredMs?: number;
  /** Requests that nothing can be made of, each answered 400. */
  badInputs?: number;
  /** Whatever else is worth a line. */
  notes?: Record<string, string | number>;
}

interface Run {
  figuresDir: string;
}

const variable = 'FAULT_FIGURES';

export async function mochaGlobalSetup(this: Run): Promise<void> {
  this.figuresDir = await mkdtemp(join(tmpdir(), 'gamehost-figures-'));
  // The environment is what every test file sees.
  process.env[variable] = join(this.figuresDir, 'figures');
}

export async function mochaGlobalTeardown(this: Run): Promise<void> {
  const text = await readFile(join(this.figuresDir, 'figures'), 'utf8').catch(() => '');
  const rows = text.split('\n').filter(Boolean).map(parseRow);
  if (rows.length > 0)
    process.stdout.write(`\n${rows.map(describeRow).join('\n')}\n\n${describeAll(rows)}\n`);
  await rm(this.figuresDir, { recursive: true });
}

/** Adds a row, after a fault is survived; does nothing where figures are not printed. */
export async function record(fault: string, figures: Figures): Promise<void> {
  const path = process.env[variable];
  if (path) await appendFile(path, `${JSON.stringify({ fault, ...figures })}\n`);
}

interface Row extends Figures {
  fault: string;
}

const parseRow = (line: string) => JSON.parse(line) as Row; // written by record

const labels: [key: keyof Figures, label: string][] = [
  ['answersPerSecond', 'answers/s'],
  ['acknowledged', 'acknowledged writes'],
  ['lost', 'lost'],
  ['twice', 'twice'],
  ['longestErrorMs', 'longest error ms'],
  ['recoveredMs', 'recovered after ms'],
  ['badInputs', 'bad inputs tried'],
];

function describeRow(row: Row): string {
  const numbers = labels.flatMap(([key, label]) => (row[key] === undefined ? [] : [`${label} ${row[key]}`]));
  const notes = Object.entries(row.notes ?? {}).map(([label, value]) => `${label} ${value}`);
  return [row.fault, `  ${[...numbers, ...describeErrors([row]), ...notes].join(', ')}`].join('\n');
}

function describeErrors(rows: readonly Row[]): string[] {
  const counts = new Map<string, number>();
  for (const [status, count] of rows.flatMap(({ errors = {} }) => Object.entries(errors)))
    counts.set(status, (counts.get(status) ?? 0) + count);
  const words = [...counts].map(([status, count]) => `${count} x ${status === '0' ? 'no answer' : status}`);
  return words.length > 0 ? [`errors in between: ${words.join(', ')}`] : [];
}

function describeAll(rows: readonly Row[]): string {
  const sum = (key: 'acknowledged' | 'lost' | 'twice' | 'badInputs') =>
    rows.reduce((total, row) => total + (row[key] ?? 0), 0);
  const longestErrorMs = Math.max(0, ...rows.map((row) => row.longestErrorMs ?? 0));
  const rates = rows.flatMap(({ answersPerSecond }) => answersPerSecond ?? []);
  return [
    `Faults survived: ${rows.length}`,
    ...(rates.length > 0
      ? [`Load held: ${Math.min(...rates)} to ${Math.max(...rates)} answers a second`]
      : []),
    `Bad inputs tried: ${sum('badInputs')}`,
    `Acknowledged writes: ${sum('acknowledged')}; lost: ${sum('lost')}; twice: ${sum('twice')}`,
    ...describeErrors(rows).map((line) => line.replace(/^e/, 'E')),
    `Longest error answer: ${longestErrorMs} ms`,
  ].join('\n');
}
