/** Masks API keys in text that a caller wrote: a key pasted into a path, an id or an argument is stored and logged nowhere. */

const marker = 'gamehost_live_';
const shownCharacters = 6;
const pattern = new RegExp(`(${marker}[A-Za-z0-9]{${shownCharacters}})[A-Za-z0-9]+`, 'g');

export const maskSecrets = (text: string): string =>
  text.includes(marker) ? text.replace(pattern, '$1…') : text;
