/** Prints answers: as JSON for programs, and for people a table for a list, and lines of fields for one object. */
import { bold, harmless, isForPeople, print } from './terminal.ts';

type Fields = Record<string, unknown>;

export function show(answer: unknown, options: { json?: boolean | undefined }): void {
  if (isForPeople(options)) {
    const lines = layOut(answer, process.stdout.columns || 80);
    // The texts of the answer are harmless already, and the lines may have color.
    process.stdout.write(`${lines.join('\n').replaceAll(filler, '')}\n`);
  } else print(JSON.stringify(answer));
}

function layOut(value: unknown, width: number): string[] {
  if (!isObject(value)) return [textOf(value)];
  const [inner, ...others] = Object.values(value);
  // `{"server": {…}}` and `{"servers": […]}` are shown without their wrapper.
  if (others.length === 0 && isObject(inner)) return layOutFields(inner, width);
  return others.length === 0 && Array.isArray(inner) ? layOutList(inner, width) : layOutFields(value, width);
}

function layOutFields(value: Fields, width: number): string[] {
  const entries = Object.entries(flatten(value));
  const isBlock = (field: unknown) =>
    Array.isArray(field) && field.some((item) => isObject(item) || /\s/.test(textOf(item)));
  const lines = entries.filter(([, field]) => !isBlock(field));
  const labelWidth = Math.max(0, ...lines.map(([name]) => name.length));
  const indent = `\n${' '.repeat(labelWidth + gap.length)}`;
  return [
    ...lines.map(
      ([name, field]) => bold(name.padEnd(labelWidth)) + gap + textOf(field).replaceAll('\n', indent),
    ),
    ...entries.flatMap(([name, field]) =>
      Array.isArray(field) && isBlock(field) ? ['', bold(name), ...layOutList(field, width)] : [],
    ),
  ];
}

function layOutList(items: unknown[], width: number): string[] {
  if (items.length === 0) return ['None.'];
  if (!items.every(isObject)) return items.map(textOf);
  const rows = items.map((item) => flatten(item));
  const names = [...new Set(rows.flatMap(Object.keys))];
  const columns = names.map((name) => columnOf(name, rows)).filter(hasContent);
  const shown = fitColumns(columns, width);
  const hidden = columns.map(({ name }) => name).filter((name) => !shown.some((one) => one.name === name));
  return [
    ...layOutRow(shown, ({ name }) => name).map(bold),
    ...rows.flatMap((_, index) => layOutRow(shown, ({ cells }) => cells[index] ?? '')),
    ...(hidden.length > 0 ? [`--json also shows ${hidden.join(', ')}`.slice(0, width)] : []),
  ];
}

interface Column {
  name: string;
  cells: string[];
  width: number;
}

function columnOf(name: string, rows: Fields[]): Column {
  const cells = rows.map(({ [name]: value }) =>
    Array.isArray(value) && value.some(isObject) ? String(value.length) : textOf(value).replace(/\s+/g, ' '),
  );
  return { name, cells, width: Math.max(...[name, ...cells].map((cell) => cell.length)) };
}

const hasContent = ({ cells }: Column) => cells.some((cell) => cell !== '' && cell !== '-');

/** Long words, such as checksums, which cannot be broken. */
const isCode = ({ cells, width }: Column) => width > 30 && !cells.some((cell) => cell.includes(' '));

/** Other commands name an item by the first of these fields that it has, or by its first field. */
const keys = ['identifier', 'uuid', 'id', 'slug'];

const gap = '  ';
const textWidth = 24;

/** Shows the key, and the other columns from the left while there is room, then codes. Long texts share what is left. */
function fitColumns(columns: readonly Column[], width: number): Column[] {
  const named = keys.map((key) => columns.find(({ name }) => name === key));
  const key = named.find((column) => column !== undefined) ?? columns[0];
  const leastOf = (column: Column) =>
    column === key || isCode(column) ? column.width : Math.min(column.width, textWidth);
  let left = width - (key?.width ?? 0);
  const fits = (column: Column) => {
    if (column === key) return true;
    const needed = gap.length + leastOf(column);
    if (needed > left) return false;
    left -= needed;
    return true;
  };
  const codesLast = [...columns].sort((a, b) => Number(isCode(a)) - Number(isCode(b)));
  const fitting = codesLast.filter(fits);
  const shown = columns.filter((column) => fitting.includes(column));
  return shown.map((column) => {
    const extra = Math.min(column.width - leastOf(column), left);
    left -= extra;
    return { ...column, width: leastOf(column) + extra };
  });
}

function layOutRow(columns: readonly Column[], cellOf: (column: Column) => string): string[] {
  const cells = columns.map((column) => wrap(cellOf(column), column.width));
  const height = Math.max(...cells.map((lines) => lines.length));
  const lineOf = (line: number) =>
    columns.map(({ width }, index) => (cells[index]?.[line] ?? '').padEnd(width)).join(gap);
  return Array.from({ length: height }, (_, line) => lineOf(line).trimEnd());
}

/** Breaks a text into lines, between words where there are some. */
function wrap(text: string, width: number): string[] {
  const lines = text.match(new RegExp(`.{1,${width}}(?: |$)|.{1,${width}}`, 'gu')) ?? [];
  return lines.map((line) => line.trimEnd());
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{limits: {disk: 1}}` becomes `{'limits.disk': 1}`. */
const flatten = (fields: Fields, prefix = ''): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(flatten(value, `${prefix}${name}.`))
        : [[filled(prefix + name), value]],
    ),
  );

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(textOf).join(', ') || '-';
  if (isObject(value)) return filled(JSON.stringify(value));
  return typeof value === 'string' && time.test(value) ? localTime(new Date(value)) : filled(String(value));
}

/** Follows each character that takes two columns, as most of East Asia do. A harmless text has none of its own. */
const filler = '\0';
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;
const filled = (text: string) => harmless(text).replace(wide, `$&${filler}`);

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** Sweden writes times as 2026-11-29 14:05. */
const localTime = (date: Date) => date.toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
