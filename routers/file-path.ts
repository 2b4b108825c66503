/** Which paths of files are taken: absolute below the server's root, so that each names one file, the same for every panel. */

export const pathLengthMax = 4096;

/** The panel removes these from both ends, so that the path would name another file than it says. */
const trimmed = /[\s\u200b\u200e]/u;

/** What is wrong with a path, as in "must begin with a slash"; null where nothing is. */
export function pathProblem(path: string): string | null {
  if (!path.startsWith('/')) return 'must begin with a slash';
  if (!path.isWellFormed()) return 'must be well-formed Unicode (it has a lone surrogate)';
  if (path.length > pathLengthMax && [...path].length > pathLengthMax)
    return `must be at most ${pathLengthMax} characters`;
  if (/\p{Cc}/u.test(path)) return 'must not contain control characters';
  if (trimmed.test(path.at(-1) ?? '')) return 'must not end in white space';
  if (path === '/') return null;
  if (path.endsWith('/')) return 'must not end in a slash';
  const names = path.split('/').slice(1);
  return names.some((name) => ['', '.', '..'].includes(name))
    ? 'must not have an empty segment, or one that is "." or ".."'
    : null;
}
