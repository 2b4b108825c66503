/** Masks keys and tokens in callers' texts: a secret pasted into a path, an id or an argument is never stored or logged. */

/** Accepts any prefix, because the prefix is a setting that can change. A secret has more than six characters after it. */
const pattern = /((?:[a-z0-9]_live|gamehost_app|gamehost_refresh)_[\w-]{6})[\w-]+/g;

export const maskSecrets = (text: string): string =>
  /_(?:live|app|refresh)_/.test(text) ? text.replace(pattern, '$1…') : text;
