/** How searches compare texts: folded alike. MongoDB cannot fold, so it is given a pattern of all that folds to a word. */
import { searchedWordLengthMax, searchedWordsMax } from '../bounds.ts';

/** In NFKC, in lower case and without marks: İ and ı as i, ß as ss. */
export const fold = (text: string): string =>
  [...text.normalize('NFKC')]
    .map((character) => character.toLowerCase().toUpperCase().toLowerCase())
    .join('')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .normalize('NFKC');

/** Each is a part of what is found. */
const wordsOf = (search: string): string[] =>
  fold(search)
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => [...word].slice(0, searchedWordLengthMax).join(''))
    .slice(0, searchedWordsMax);

/** Whether the fields have all words of the search. */
export function isFound(fields: readonly (string | null)[], search: string): boolean {
  const folded = fields.map((field) => fold(field ?? ''));
  return wordsOf(search).every((word) => folded.some((field) => field.includes(word)));
}

/** Where letters have cases or marks, and compatibility forms of these. */
const ranges = [
  [0x21, 0x218b],
  [0x2460, 0x24ea],
  [0x3041, 0x30ff],
  [0xfb00, 0xfb4f],
  [0xff01, 0xff9f],
] as const;

/** The characters that fold to something else, by that. Made for each search, in a few milliseconds. */
function variantsOf(): ReadonlyMap<string, string> {
  const characters = ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index)),
  );
  const folded = fold(characters.join('\n')).split('\n');
  const variants = new Map<string, string>();
  characters.forEach((character, index) => {
    const key = folded[index] ?? '';
    if (key !== character && key !== '') variants.set(key, (variants.get(key) ?? '') + character);
  });
  return variants;
}

/** For `$regex`, of each word of the search what has it. */
export function patternsOf(search: string): string[] {
  const variants = variantsOf();
  return wordsOf(search).map((word) => patternOf(word, variants));
}

const marks = '\\p{M}*';

function patternOf(word: string, variants: ReadonlyMap<string, string>): string {
  const letters = [...word];
  /** What one character folds to, such as ss. */
  const several = [...variants.keys()].filter((folded) => folded.length > 1);
  const among = (isPart: (folded: string) => boolean) =>
    several
      .filter(isPart)
      .map((folded) => variants.get(folded))
      .join('');
  const last = letters.length - 1;
  const letterAt = (at: number) => {
    const letter = letters[at] ?? '';
    // A word may begin or end within what one character folds to.
    const cut = [
      at === 0 ? among((folded) => folded.endsWith(letter)) : '',
      at === last ? among((folded) => folded.startsWith(letter)) : '',
    ];
    return `[${quoted(letter + (variants.get(letter) ?? '') + cut.join(''))}]${marks}`;
  };
  let pattern = '';
  for (let at = 0; at <= last; ) {
    const isHere = (folded: string) => letters.slice(at, at + folded.length).join('') === folded;
    const whole = longest(several.filter(isHere));
    const apart = Array.from({ length: whole.length || 1 }, (_, index) => letterAt(at + index)).join('');
    pattern += whole ? `(?:${apart}|[${quoted(variants.get(whole) ?? '')}]${marks})` : apart;
    at += whole.length || 1;
  }
  return pattern;
}

const longest = (texts: readonly string[]) =>
  texts.reduce((one, other) => (other.length > one.length ? other : one), '');

const quoted = (characters: string) => characters.replace(/[\\\]^-]/g, '\\$&');
