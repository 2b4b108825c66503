/** The types of settings and of the command line's options: what is written, and what is read from it. */
import { z } from 'zod';

export const flag = z.stringbool({
  truthy: ['true', '1', 'yes', 'on'],
  falsy: ['false', '0', 'no', 'off'],
});

export const commaList = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

export const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.int().min(min).max(max));

export const withoutEndSlash = (url: string) => url.replace(/(?<!\/)\/+$/, '');
