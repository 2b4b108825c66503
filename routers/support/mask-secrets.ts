/** Masks keys and tokens in text that a caller wrote: one pasted into a path, an id or an argument is stored and logged nowhere. */

const marker = 'gamehost_';
const shownCharacters = 6;
const pattern = new RegExp(`(${marker}(?:live|app|refresh)_[\\w-]{${shownCharacters}})[\\w-]+`, 'g');

export const maskSecrets = (text: string): string =>
  text.includes(marker) ? text.replace(pattern, '$1…') : text;
