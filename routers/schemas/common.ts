/** Schemas shared by several nouns: integers, date-times, paging, and the input of operations that take none. */
import { z } from 'zod';
import { pageSizeMax, urlLengthMax } from '../../models/bounds.ts';
import { dayMs } from '../../models/support/durations.ts';
import { filledExactText } from './text.ts';

/** The input of an operation that takes none: absent or an empty object, so that unknown fields are refused. */
export const NoInput = z.strictObject({}).optional();

/** An integer in an input; anything else is refused with one message, whether it is text or a fraction. */
export function integer(min: number, max?: number) {
  const error: z.core.$ZodErrorMap = ({ code, input }) =>
    code === 'invalid_type' && input !== undefined ? 'must be an integer' : undefined;
  const least = z.int({ error }).min(min);
  return max === undefined ? least : least.max(max);
}

/** A name in a path, such as a slug or a server's identifier; an unknown one is not found rather than invalid. */
export const pathName = () => filledExactText(100);

/** A URL in an input. Its length is checked first: parsing one takes the square of the characters of its host. */
export const boundedUrl = (options: Exclude<Parameters<typeof z.url>[0], string | undefined>) =>
  z
    .string({ error: options.error })
    .max(urlLengthMax, { error: `must be at most ${urlLengthMax} characters`, abort: true })
    .check(z.url(options));

/** Paging of a list. */
export const PageQuery = z.strictObject({
  page: integer(1).default(1).describe('From 1 on.'),
  per_page: integer(1, pageSizeMax).default(20).describe('Items per page.'),
});

/** The server of all examples, which the demo has. */
export const exampleServerId = '8c1f6e2a';

/** The output of a DELETE. */
export const Deleted = z
  .object({ deleted: z.literal(true).describe('Always true.') })
  .meta({ title: 'Deleted' });

/** A string in an output with values known today; clients complete these and must accept others. */
export const openEnum = <const Value extends string>(
  title: string,
  values: readonly Value[],
): z.ZodType<Value | OtherString> => z.string().meta({ title, knownValues: values }) as z.ZodType<string>;

/** Keeps editors completing the known values, which a plain string would absorb. */
type OtherString = string & {};

/** The count next to a list. */
export const Summary = z
  .object({ total: z.int().describe('How many there are.') })
  .meta({ title: 'Summary', description: 'How many there are.' });

/** A date-time in an output: RFC 3339 in UTC with milliseconds. */
export const dateTime = z.string().meta({ format: 'date-time', examples: ['2026-11-21T09:30:00.000Z'] });

/** The same as `toISOString`, which would dominate the cost of a list of tickets. */
export function presentMoment(moment: Date): string {
  const day = Math.floor(moment.getTime() / dayMs);
  const inDay = moment.getTime() - day * dayMs;
  const seconds = Math.floor(inDay / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const time = `${twoDigits[hours]}:${twoDigits[minutes - hours * 60]}:${twoDigits[seconds - minutes * 60]}`;
  return `${dayText(day)}${time}.${threeDigits[inDay - seconds * 1000]}Z`;
}

const padded = (count: number, digits: number) =>
  Array.from({ length: count }, (_, number) => String(number).padStart(digits, '0'));

const twoDigits = padded(60, 2);
const threeDigits = padded(1000, 3);

const dayTexts = new Map<number, string>();

/** The date with its T, cached because the moments of a list share few days. */
function dayText(day: number): string {
  const cached = dayTexts.get(day);
  if (cached !== undefined) return cached;
  if (dayTexts.size >= 1000) dayTexts.clear();
  const date = new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length);
  dayTexts.set(day, date);
  return date;
}
