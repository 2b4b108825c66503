/** Schemas of options that several commands take. Values arrive as the strings that were typed. */
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { filledText } from '../../routers/schemas/common.ts';
import { guessableMessage, isGuessable, NewPassword } from '../../routers/schemas/password.ts';

/** Lower case, as stored. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email({ error: 'must be an e-mail address, such as ada@example.com' }).max(254));

/** `-` reads the first line of standard input, which process lists do not show. */
export const Password = z
  .string()
  .transform((value) => (value === '-' ? readLine() : value))
  .pipe(NewPassword)
  .refine(async (password) => !(await isGuessable(password)), { error: guessableMessage });

/** `-` reads all of standard input. */
export const MessageText = z
  .string()
  .transform(async (value) => (value === '-' ? (await text(process.stdin)).trimEnd() : value))
  .pipe(filledText(10_000));

export const Name = filledText(200);

export const OptionalName = Name.nullable().default(null);

/** At most 15 digits, which a JavaScript number represents exactly. */
export const PositiveInteger = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, { error: 'must be a whole number from 1' })
  .transform(Number);

const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be an ISO 8601 time with its zone, or a date: 2030-01-31T12:00:00Z or 2030-01-31',
});

/** A date alone means 00:00 UTC. */
export const FutureMoment = Moment.transform((value) => new Date(value)).refine(
  (moment) => moment > new Date(),
  { error: 'must be in the future' },
);

async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  return '';
}
