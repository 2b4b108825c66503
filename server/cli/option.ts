/**
 * The fields of a command's options. A field's name is its flag. Its description is its help, which begins with the flag's
 * `<value>` if it takes one. `negated` is the help of the `--no-` form, and `isArgument` makes the field an argument. A field is
 * required unless it is optional or has a default. Put the description last in the schema.
 */
import { z } from 'zod';
import { guessableMessage, isGuessable, NewPassword } from '../../routers/schemas/password.ts';
import { filledLine, filledProse } from '../../routers/schemas/text.ts';
import { Email } from '../../routers/schemas/user.ts';
import type { Io } from './access.ts';
import { decodeText, readLine, readText } from './text-input.ts';

export { Email };

export const Argument = z.string().meta({ isArgument: true });

/** The file is read while options are parsed, before the database is opened. */
export const file = <Content>(read: (path: string) => Promise<Content>) =>
  z
    .string()
    .transform(read)
    .meta({ isArgument: true, description: "the file; a relative path starts at the project's directory" });

export const Flag = z.boolean().default(false);

export const OneUser = z.object({ email: Email.describe("<address> the user's e-mail address") });

export const orNull = <Field extends z.ZodType>(field: Field) =>
  field.optional().transform((value) => value ?? null);

export const Name = filledLine(200);

/** At most 15 digits, which a JavaScript number represents exactly. */
export const PositiveInteger = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, { error: 'must be a whole number from 1' })
  .transform(Number);

export const WholeNumber = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/, { error: 'must be a whole number from 0' })
  .transform(Number);

export const atMost = (max: number) => PositiveInteger.pipe(z.number().max(max));

export const limit = (max: number) =>
  atMost(max).prefault('50').describe(`<number> how many to show, at most ${max}`);

/** A date alone means 00:00 UTC. */
export const Moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO 8601 time with its zone, or a date: 2030-01-31T12:00:00Z or 2030-01-31',
  })
  .transform((value) => new Date(value));

export const FutureMoment = Moment.refine((moment) => moment > new Date(), {
  error: 'must be in the future',
});

/** `-` reads the first line of standard input, which unlike an argument does not appear in process lists. */
export const newPassword = ({ stdin }: Io) =>
  z
    .string()
    .transform((value) => (value === '-' ? readLine(decodeText(stdin)) : value))
    .pipe(NewPassword)
    .refine(async (password) => !(await isGuessable(password)), { error: guessableMessage });

export const messageText = ({ stdin }: Io) =>
  z
    .string()
    .transform(async (value) => (value === '-' ? (await readText(decodeText(stdin))).trimEnd() : value))
    .pipe(filledProse(10_000));
