/** Text that people and agents read loses its invisible characters. Text that programs compare stays exactly as sent. */
import { z } from 'zod';

/** Scripts in which a joiner (U+200C, U+200D) after a letter changes how it is written. */
const joining = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya'],
  ...['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');

const emoji = '\\p{Extended_Pictographic}';

/** Invisible characters that belong to the visible one before them: joiners, and the variation selectors of emoji. */
const needed = [
  `(?!\\p{Default_Ignorable_Code_Point})[${joining}][\\u200c\\u200d]`,
  `${emoji}[\\ufe0e\\ufe0f]`,
  '[#*0-9]\\ufe0f(?=\\u20e3)',
  `(?:${emoji}\\ufe0f?|\\p{Emoji_Modifier})\\u200d(?=${emoji})`,
].join('|');

/** Characters that hide text which programs still read, or that change the order in which text is displayed. */
const invisible = new RegExp(
  `[\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}\\ufff9-\\ufffb\\u{13430}-\\u{1343f}\\u{16fe4}](?<!${needed})`,
  'gu',
);

/** Letters that look like a space. */
const blank = /[\u2800\u{1d159}]/gu;

const control = /(?![\n\r\t])\p{Cc}/gu;

const withoutBlank = (value: string): string => value.replace(blank, ' ');

const withoutInvisible = (value: string): string => withoutBlank(value.replace(invisible, ''));

/** Programs treat these as line breaks, but few fonts show them. */
const separator = /[\u2028\u2029]/g;

/** Like `cleanText`, but keeps the letters that look like a space: consoles draw with the blank Braille pattern. */
export const cleanConsoleText = (value: string): string =>
  value.replace(control, '').replace(separator, '\n').replace(invisible, '');

/** For text from other systems: removes invisible characters, and control characters except line breaks and tabs. */
export const cleanText = (value: string): string => withoutBlank(cleanConsoleText(value));

export const cleanSingleLine = (value: string): string => cleanText(value).replace(/[\n\r\t]+/g, ' ');

/** Control sequences, strings for the terminal, and other escapes (ECMA-48), in their forms with ESC and with C1 controls. */
const escapeSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;

export const withoutEscapes = (value: string): string => value.replace(escapeSequence, '');

/** @param lengthMax in UTF-16 units; a surrogate pair is never split */
export const cut = (value: string, lengthMax: number): string =>
  value.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '');

/** Well-formed Unicode without NUL, up to `maxLength` code points, as JSON Schema counts. */
const boundedText = (maxLength: number, text = z.string()) =>
  text
    .refine((value) => value.isWellFormed(), {
      error: 'must be well-formed Unicode (it has a lone surrogate)',
    })
    .refine((value) => !value.includes('\0'), { error: 'must not contain NUL characters' })
    .refine((value) => isWithin(value, maxLength), { error: `must be at most ${maxLength} characters` });

/** Counts code points only if the number of code units does not decide. */
const isWithin = (value: string, maxLength: number) =>
  value.length <= maxLength || (value.length <= 2 * maxLength && [...value].length <= maxLength);

const isFilled = (value: string) => value.trim() !== '';

const emptiness = { error: 'must not be empty', abort: true };

/** Text that programs compare, such as an id or a password; it may be empty. */
export const exactText = (maxLength: number) => boundedText(maxLength).meta({ maxLength });

export const filledExactText = (maxLength: number) =>
  boundedText(maxLength).refine(isFilled, emptiness).meta({ minLength: 1, maxLength });

/** NUL passes here, because `boundedText` refuses it. */
const isLine = (value: string) => !/(?!\0)[\p{Cc}\u2028\u2029]/u.test(value);

const lineRule = { error: 'must be a single line without control characters' };

export const line = (maxLength: number, text?: z.ZodString) =>
  boundedText(maxLength, text).overwrite(withoutInvisible).refine(isLine, lineRule).meta({ maxLength });

export const filledLine = (maxLength: number, text?: z.ZodString) =>
  boundedText(maxLength, text)
    .overwrite(withoutInvisible)
    .refine(isFilled, emptiness)
    .refine(isLine, lineRule)
    .meta({ minLength: 1, maxLength });

/** Other systems send an empty string if there is no such text. */
export const lineOrNull = (maxLength: number) =>
  line(maxLength)
    .transform((text) => (text.trim() === '' ? null : text))
    .nullable();

const isProse = (value: string) => !/(?![\n\r\t\0])\p{Cc}/u.test(value);

const proseRule = { error: 'must not contain control characters other than line breaks and tabs' };

export const prose = (maxLength: number, text?: z.ZodString) =>
  boundedText(maxLength, text).overwrite(withoutInvisible).refine(isProse, proseRule).meta({ maxLength });

export const filledProse = (maxLength: number) =>
  boundedText(maxLength)
    .overwrite(withoutInvisible)
    .refine(isFilled, emptiness)
    .refine(isProse, proseRule)
    .meta({ minLength: 1, maxLength });
