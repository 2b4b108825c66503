/** Schemas that several nouns share. */
import { z } from 'zod';
import { pageSizeMax, urlLengthMax } from '../../models/bounds.ts';
import { dayMs } from '../../models/support/durations.ts';
import { filledExactText } from './text.ts';

/** For operations without input. Only an empty object or no input is valid, so that unknown fields are refused. */
export const NoInput = z.strictObject({}).optional();

/** Text and fractions get the same message. */
export function integer(min: number, max?: number) {
  const error: z.core.$ZodErrorMap = ({ code, input }) =>
    code === 'invalid_type' && input !== undefined ? 'must be an integer' : undefined;
  const least = z.int({ error }).min(min);
  return max === undefined ? least : least.max(max);
}

/** A name in a path, such as a slug or a server's identifier. An unknown name is a 404, not a 400. */
export const pathName = () => filledExactText(100);

/** Checks the length first, because the time to parse a URL grows with the square of its host's length. */
export const boundedUrl = (options: Exclude<Parameters<typeof z.url>[0], string | undefined>) =>
  z
    .string({ error: options.error })
    .max(urlLengthMax, { error: `must be at most ${urlLengthMax} characters`, abort: true })
    .check(z.url(options));

export const PageQuery = z.strictObject({
  page: integer(1).default(1).describe('The page number, from 1.'),
  per_page: integer(1, pageSizeMax).default(20).describe('Items per page.'),
});

/** Gives each field that has no description the one of the object's field of the same name. */
export const describedLike = <Shape extends Record<string, z.ZodType>>(
  { shape }: z.ZodObject<Record<string, z.ZodType>>,
  fields: Shape,
): Shape =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.meta({ description: shape[name]?.description, ...field.meta() }),
    ]),
  ) as Shape; // Object.fromEntries forgets which name has which field

/** The demo has this server, which all examples use. */
export const exampleServerId = '8c1f6e2a';

export const Deleted = z
  .object({ deleted: z.literal(true).describe('Always true.') })
  .meta({ title: 'Deleted', description: 'Confirms the deletion.' });

/** An output string with the values known today. Editors suggest these values, and clients must accept others. */
export const openEnum = <const Value extends string>(
  title: string,
  values: readonly Value[],
): z.ZodType<Value | OtherString> =>
  z.string().meta({ title, ...openEnumKeywords(values) }) as z.ZodType<string>;

/** Zalando's keyword for an enum to which a later version may add, because no standard keyword allows that. */
export const openEnumKeywords = (values: readonly string[]) => ({
  'x-extensible-enum': values,
  examples: values.slice(0, 3),
});

/** Lets editors complete the known values, which a plain `string` would absorb. */
type OtherString = string & {};

export const Summary = z
  .object({ total: z.int().describe('The number of items.') })
  .meta({ title: 'Summary', description: 'The number of items.' });

export const dateTime = z.string().meta({ format: 'date-time', examples: ['2026-11-21T09:30:00.000Z'] });

/** Returns the same as `toISOString`, which would take most of the time of a list of tickets. */
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

/** Returns the date and the T. It is cached, because all moments in a list fall on a few days. */
function dayText(day: number): string {
  const cached = dayTexts.get(day);
  if (cached !== undefined) return cached;
  if (dayTexts.size >= 1000) dayTexts.clear();
  const date = new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length);
  dayTexts.set(day, date);
  return date;
}
