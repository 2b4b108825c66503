/** Reads a regular expression that PHP applies, and matches values with it in linear time, whoever wrote it. */
import { RE2JS } from 're2js';

const patternLengthMax = 500;
/** Instructions of a compiled pattern times characters of a value: a few milliseconds. */
const workMax = 200_000;
/** Compiling an instruction takes about as long as applying it to so many characters. */
const compilingWork = 200;

const closings: Record<string, string> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/**
 * An atom and its quantifier that mean the same to PCRE and JavaScript. Forms that may differ are left out, such as
 * possessive quantifiers, `\A`, `[[:alpha:]]`, `[]a]`, and a hyphen after `\w` in a set.
 */
const escaped = String.raw`\\(?:[tnrf\W]|x[0-7][\da-fA-F])`;
const member = String.raw`(?:${escaped}|[^\\[\]-]|\[(?![:.=]))`;
const members = String.raw`(?:\\[dDsSwW]|${member}(?:-${member}-?)?)*`;
const set = String.raw`\[(?!\^?\]|[:.=][^\]]*[:.=]\])\^?-?${members}-?\]`;
const group = String.raw`\((?:\?[:=!]|(?!\?))|\)`;
const atom = String.raw`${group}|${set}|\\[bBdDsSwW]|${escaped}|[^\\()[\]{}*+?]`;
const quantifier = String.raw`[*+?]\??|\{(\d{1,4})(?:,(\d{0,4}))?\}\??`;
const part = new RegExp(`(${atom})(?:${quantifier})?`, 'gy');

/** Takes an expression with its delimiters. null: it has no end or has flags, or JavaScript may read it differently. */
export function readPattern(text: string): string | null {
  const expression = text.trim();
  const pattern = expression.slice(1, -1);
  const isDelimited = /^[^\w\\][ -~]*$/.test(expression) && findEnd(expression) === expression.length - 1;
  return isDelimited && pattern.length <= patternLengthMax && isShared(pattern) ? pattern : null;
}

/** PHP ends an expression at the first closing delimiter that is neither escaped nor belongs to a pair inside it. */
function findEnd(expression: string): number {
  const opening = expression.charAt(0);
  const closing = closings[opening] ?? opening;
  let depth = 1;
  for (let index = 1; index < expression.length; index += expression[index] === '\\' ? 2 : 1) {
    if (expression[index] === closing) depth -= 1;
    else if (expression[index] === opening) depth += 1;
    if (depth === 0) return index;
  }
  return -1;
}

/** Every part alone means the same; together they are an expression if JavaScript accepts it, such as with its groups closed. */
function isShared(pattern: string): boolean {
  if ([...pattern.matchAll(part)].map(([text]) => text).join('') !== pattern) return false;
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Whether a value matches a pattern that was read. true as well if that would take long, or RE2 does not know the pattern. */
export function mayMatch(value: string, pattern: string): boolean {
  // Without its flag u, PCRE sees the bytes of other characters.
  const isAscii = /^[ -~]*$/.test(value);
  if (!isAscii || countInstructions(pattern) * Math.max(value.length, compilingWork) > workMax) return true;
  try {
    return RE2JS.compile(pattern).matcher(value).find();
  } catch {
    return true;
  }
}

/** An upper bound: RE2 copies what is counted, and counted groups can be nested. */
function countInstructions(pattern: string): number {
  let [parts, groups, copies] = [0, 1, 1];
  for (const [, text, least = '1', most] of pattern.matchAll(part)) {
    const count = Math.max(1, Number(most || least));
    parts += 1;
    if (text === ')') groups *= count;
    else copies = Math.max(copies, count);
  }
  return parts * groups * copies;
}
