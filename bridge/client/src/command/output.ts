/** Lays out answers for people: a table for a list, and lines of fields for one object. */
import { bold, harmless, toWidth, widthOf } from './terminal.ts';

/** Whether other commands name an item of the list by this field. */
export type IsKey = (list: string, field: string) => boolean;

interface Layout {
  width: number;
  isKey: IsKey;
  list?: string;
}

type Fields = Record<string, unknown>;

export function layOut(value: unknown, layout: Layout): string[] {
  if (!isObject(value)) return [textOf(value)];
  const [[name = '', inner] = [], ...others] = Object.entries(value);
  if (others.length > 0) return layOutFields(value, layout);
  // `{"server": {…}}` is shown without its wrapper.
  if (isObject(inner)) return layOutFields(inner, layout);
  return Array.isArray(inner) ? layOutList(inner, { ...layout, list: name }) : layOutFields(value, layout);
}

function layOutFields(value: Fields, layout: Layout): string[] {
  const entries = Object.entries(flatten(value));
  const isBlock = ([, field]: [string, unknown]) =>
    Array.isArray(field) && field.some((item) => isObject(item) || /\s/.test(textOf(item)));
  const lines = entries.filter((entry) => !isBlock(entry));
  const labelWidth = Math.max(0, ...lines.map(([name]) => widthOf(name)));
  const indent = `\n${' '.repeat(labelWidth + 2)}`;
  return [
    ...lines.map(
      ([name, field]) => `${bold(toWidth(name, labelWidth))}  ${textOf(field).replaceAll('\n', indent)}`,
    ),
    ...entries
      .filter(isBlock)
      .flatMap(([name, items]) => [
        '',
        bold(name),
        ...layOutList(items as unknown[], { ...layout, list: name }),
      ]),
  ];
}

function layOutList(items: unknown[], { list = '', isKey, width }: Layout): string[] {
  if (items.length === 0) return ['None.'];
  if (!items.every(isObject)) return items.map(textOf);
  const rows = items.map((item) => flatten(item));
  const all = [...new Set(rows.flatMap(Object.keys))].map((name) => columnOf(name, rows, isKey(list, name)));
  const columns = all.filter(({ cells }) => cells.some((cell) => cell !== '' && cell !== '-'));
  const widths = share(width, columns);
  const shown = columns.filter(({ name }) => widths.has(name));
  const line = (cellOf: (column: Column) => string) =>
    shown
      .map((column) => toWidth(cellOf(column), widths.get(column.name) ?? 0))
      .join(gap)
      .trimEnd();
  const hidden = columns.filter((column) => !shown.includes(column)).map(({ name }) => name);
  return [
    bold(line(({ name }) => name)),
    ...rows.map((_, index) => line(({ cells }) => cells[index] ?? '')),
    ...(hidden.length > 0 ? [toWidth(`--json also shows ${hidden.join(', ')}`, width).trimEnd()] : []),
  ];
}

interface Column {
  name: string;
  cells: string[];
  width: number;
  /** The order in which columns get room: keys first, long codes last. */
  rank: number;
}

function columnOf(name: string, rows: Fields[], isKey: boolean): Column {
  const cells = rows.map(({ [name]: value }) =>
    Array.isArray(value) && value.some(isObject) ? String(value.length) : textOf(value).replace(/\s+/g, ' '),
  );
  const width = Math.max(...[name, ...cells].map(widthOf));
  const isCode = width > codeWidthMax && !cells.some((cell) => cell.includes(' '));
  return { name, cells, width, rank: isKey ? 0 : isCode ? 2 : 1 };
}

const gap = '  ';
const codeWidthMax = 30;
const textWidthMax = 40;

/** Gives each column its width while there is room; long texts get what is left at the end. */
function share(width: number, columns: readonly Column[]): Map<string, number> {
  const widths = new Map<string, number>();
  let left = width + gap.length;
  for (const column of [...columns].sort((a, b) => a.rank - b.rank)) {
    const least = column.rank === 1 ? Math.min(column.width, textWidthMax) : column.width;
    const given = widths.size === 0 ? Math.min(least, width) : least;
    if (given + gap.length > left) continue;
    widths.set(column.name, given);
    left -= given + gap.length;
  }
  for (const { name, width: wanted } of columns) {
    const given = widths.get(name);
    if (given === undefined || left === 0) continue;
    widths.set(name, Math.min(wanted, given + left));
    left -= Math.min(wanted, given + left) - given;
  }
  return widths;
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{limits: {disk: 1}}` becomes `{'limits.disk': 1}`. */
const flatten = (fields: Fields, prefix = ''): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(flatten(value, `${prefix}${name}.`))
        : [[harmless(prefix + name), value] as const],
    ),
  );

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(textOf).join(', ') || '-';
  if (isObject(value)) return harmless(JSON.stringify(value));
  return typeof value === 'string' && time.test(value) ? localTime(new Date(value)) : harmless(String(value));
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

function localTime(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
