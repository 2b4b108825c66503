/**
 * Options of commands. Of a field, `value` is shown after its flag (without it the flag stands alone), `describe` is its help,
 * `negated` the help of its `--no-` form; `isArgument` makes it an argument. Without a default it is required, unless optional.
 */
import { z } from 'zod';
import { guessableMessage, isGuessable, NewPassword } from '../../routers/schemas/password.ts';
import { filledLine, filledProse } from '../../routers/schemas/text.ts';
import { Email as AnyEmail, OptionalName } from '../../routers/schemas/user.ts';
import type { Io } from './access.ts';
import { decodeText, readLine, readText } from './text-input.ts';

export const Argument = z.string().meta({ isArgument: true });

/** A file is read before the database is opened. */
export const file = <Content>(read: (path: string) => Promise<Content>) =>
  z
    .string()
    .transform(read)
    .meta({ isArgument: true, description: "the file; a relative path starts at the project's directory" });

export const Flag = z.boolean().default(false);

export const Email = AnyEmail.meta({ value: '<address>', description: "the user's e-mail address" });

export const Name = filledLine(200).meta({ value: '<text>' });

export const OptionalText = OptionalName.default(null).meta({ value: '<text>' });

/** At most 15 digits, which a JavaScript number represents exactly. */
export const PositiveInteger = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, { error: 'must be a whole number from 1' })
  .transform(Number);

export const atMost = (max: number) => PositiveInteger.pipe(z.number().max(max)).meta({ value: '<number>' });

export const limit = (max: number) => atMost(max).describe(`how many to show, at most ${max}`).prefault('50');

const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be an ISO 8601 time with its zone, or a date: 2030-01-31T12:00:00Z or 2030-01-31',
});

/** A date alone means 00:00 UTC. */
export const FutureMoment = Moment.transform((value) => new Date(value))
  .refine((moment) => moment > new Date(), { error: 'must be in the future' })
  .meta({ value: '<time>' });

/** `-` reads the first line of standard input, which process lists do not show. */
export const newPassword = ({ stdin }: Io) =>
  z
    .string()
    .transform((value) => (value === '-' ? readLine(decodeText(stdin)) : value))
    .pipe(NewPassword)
    .refine(async (password) => !(await isGuessable(password)), { error: guessableMessage })
    .meta({ value: '<password>' });

/** `-` reads all of standard input. */
export const messageText = ({ stdin }: Io) =>
  z
    .string()
    .transform(async (value) => (value === '-' ? (await readText(decodeText(stdin))).trimEnd() : value))
    .pipe(filledProse(10_000))
    .meta({ value: '<text>' });
