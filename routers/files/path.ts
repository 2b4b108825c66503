/** Accepts only absolute paths below the server's root, so that each path names one file, the same on every panel. */

export const pathLengthMax = 4096;

/**
 * White space and invisible characters. Panels remove them from both ends of a text (Laravel's `Str::trim`), so the path
 * would name another file. Some calls send the path without its leading slash, so the character after the slash is also an end
 * of the text.
 */
const trimmed =
  /\u034f|\u17b4|\u17b5|[\s\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2060-\u2065\u206a-\u206f\u2800\u3164\uffa0\u{1d159}\u{1d173}-\u{1d17a}\u{e0020}]/u;

export function pathProblem(path: string): string | null {
  if (!path.startsWith('/')) return 'must begin with a slash';
  if (!path.isWellFormed()) return 'must be well-formed Unicode (it has a lone surrogate)';
  if (path.length > pathLengthMax && [...path].length > pathLengthMax)
    return `must be at most ${pathLengthMax} characters`;
  if (/\p{Cc}/u.test(path)) return 'must not contain control characters';
  const characters = [...path]; // the length check above bounds this array
  if (trimmed.test(characters[1] ?? '') || trimmed.test(characters.at(-1) ?? ''))
    return 'must not begin or end with white space';
  if (path === '/') return null;
  if (path.endsWith('/')) return 'must not end with a slash';
  const names = path.split('/').slice(1);
  return names.some((name) => ['', '.', '..'].includes(name))
    ? 'must not have an empty segment, "." or ".."'
    : null;
}

export const directoryOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';
