/** How searches compare texts. MongoDB cannot fold, so documents also store the folded text. */
import { searchedWordsMax } from '../bounds.ts';

/** NFKC, in lower case and without marks: İ and ı become i, ß becomes ss. */
export const fold = (text: string): string =>
  [...text.normalize('NFKC')]
    .map((character) => character.toLowerCase().toUpperCase().toLowerCase())
    .join('')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .normalize('NFKC');

const wordsOf = (search: string): string[] =>
  fold(search)
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, searchedWordsMax);

export function matchesSearch(fields: readonly (string | null)[], search: string): boolean {
  const folded = fields.map((field) => fold(field ?? ''));
  return wordsOf(search).every((word) => folded.some((field) => field.includes(word)));
}

export const filterByWords = (search: string) => ({
  // MongoDB refuses an empty `$and`, so the list begins with a filter that matches all.
  $and: [{}, ...wordsOf(search).map((word) => ({ folded: { $regex: escapeRegExp(word) } }))],
});

export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
