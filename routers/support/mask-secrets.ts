/** Masks keys and tokens in text that a caller wrote: one pasted into a path, an id or an argument is stored and logged nowhere. */

/** Whatever the prefix, as it is a setting that changes; a word of a few letters is no secret. */
const pattern = /((?:[a-z0-9]_live|gamehost_app|gamehost_refresh)_[\w-]{6})[\w-]+/g;

export const maskSecrets = (text: string): string =>
  /_(?:live|app|refresh)_/.test(text) ? text.replace(pattern, '$1…') : text;
