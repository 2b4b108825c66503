/** The shapes of options that several verbs take. Values arrive as the strings that were typed. */
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { filledText } from '../../routers/shapes/text.ts';

/** In the case it is stored in. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email({ error: 'must be an e-mail address, such as ada@example.com' }).max(254));

export const passwordMinLength = 8;

/** `-` stands for the first line of standard input, which no list of processes shows. */
export const Password = z
  .string()
  .transform((value) => (value === '-' ? readLine() : value))
  .pipe(z.string().min(passwordMinLength).max(1000));

export const Name = filledText(200);

export const OptionalName = Name.nullable().default(null);

/** A whole number from 1; at most 15 digits, which JavaScript counts exactly. */
export const PositiveInteger = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, { error: 'must be a whole number from 1' })
  .transform(Number);

const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be an ISO 8601 time with its zone, or a date: 2030-01-31T12:00:00Z or 2030-01-31',
});

/** A date alone means its first moment in UTC. */
export const FutureMoment = Moment.transform((value) => new Date(value)).refine(
  (moment) => moment > new Date(),
  { error: 'must be in the future' },
);

async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  return '';
}
