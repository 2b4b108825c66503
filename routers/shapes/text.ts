/** Text from outside: well-formed Unicode without NUL, counted in characters as a reader counts them. */
import { z } from 'zod';

/** Up to `maxLength` characters (Unicode code points, as JSON Schema counts); may be empty. */
export const text = (maxLength: number) =>
  z
    .string()
    .refine((value) => value.isWellFormed(), {
      error: 'must be well-formed Unicode (it has a lone surrogate)',
    })
    .refine((value) => !value.includes('\0'), { error: 'must not contain NUL characters' })
    .refine((value) => isWithin(value, maxLength), { error: `must be at most ${maxLength} characters` })
    .meta({ maxLength });

/** The same, with something in it besides white space. */
export const filledText = (maxLength: number) =>
  text(maxLength)
    .refine((value) => value.trim() !== '', { error: 'must not be empty' })
    .meta({ minLength: 1, maxLength });

/** A name in a path, such as a slug or a server's identifier; one that nobody has is simply not found. */
export const pathName = () => filledText(100);

/** Counts code points only where code units leave a doubt. */
const isWithin = (value: string, maxLength: number) =>
  value.length <= maxLength || (value.length <= 2 * maxLength && [...value].length <= maxLength);
