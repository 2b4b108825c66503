/** Describes an invalid input in one sentence: each field by its wire name, with the rule that it breaks. */
import type { z } from 'zod';
import { namedFieldLengthMax, namedIssuesMax } from '../../models/bounds.ts';
import { cut } from '../schemas/text.ts';
import { maskSecrets } from './mask-secrets.ts';

type Issue = z.core.$ZodIssue;

/** "page must be at least 1; per_page must be at most 100" */
export function formatZodError(error: z.ZodError): string {
  const named = error.issues.slice(0, namedIssuesMax).map(describeIssue);
  const more = error.issues.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** "plans.0.price is required" */
export function describeIssue(issue: Issue): string {
  const field = issue.path.length > 0 ? issue.path.join('.') : 'input';
  if (issue.code !== 'unrecognized_keys') return `${field} ${ruleOf(issue)}`;
  const unknown = describeUnknownFields(issue.keys, issue.path);
  return isOurs(issue.message) ? `${unknown}: ${issue.message}` : unknown;
}

function describeUnknownFields(keys: string[], path: PropertyKey[]): string {
  const shown = keys.slice(0, namedIssuesMax).map((key) => [...path, printableField(key)].join('.'));
  return `${shown.join(', ')} ${keys.length === 1 ? 'is not a known field' : 'are not known fields'}`;
}

/** The caller chose this name, so the response must not repeat its control characters and lone surrogates. */
export const printableField = (key: string) =>
  JSON.stringify(cut(maskSecrets(key), namedFieldLengthMax).toWellFormed()).slice(1, -1) || '""';

function ruleOf(issue: Issue): string {
  if (isOurs(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return wasMissing(issue) ? 'is required' : `must be ${withArticle(issue.expected)}`;
    case 'too_small':
      return issue.minimum === 1 && issue.origin in units
        ? 'must not be empty'
        : `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'invalid_format':
      return formats[issue.format] ?? `must be a valid ${issue.format}`;
    default:
      return 'is not valid';
  }
}

/** Messages in this project's schemas continue after the field's name, in lower case. zod's own messages do not. */
const isOurs = (message: string) => /^[a-z]/.test(message);

/** Only zod's message distinguishes an absent field from one of the wrong type. */
const wasMissing = (issue: Issue) => issue.message.endsWith('received undefined');

const typeNames: Record<string, string> = {
  int: 'an integer',
  array: 'an array',
  object: 'an object',
  boolean: 'true or false',
};

const formats: Record<string, string> = {
  datetime: 'must be a date and time with a zone, such as 2026-11-21T09:30:00Z or 2026-11-21T10:30:00+01:00',
};

const withArticle = (expected: string) => typeNames[expected] ?? `a ${expected}`;

const units: Record<string, string> = { string: ' characters', array: ' items' };

const unitOf = (origin: string) => units[origin] ?? '';
