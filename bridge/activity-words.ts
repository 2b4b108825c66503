/** What a call did, in words: derived from its operation's summary, or from the name of one of the account page. */
import type { AnyOperation, Operation } from './operations.ts';

interface ActivityWords {
  /** In the past tense, up to the resource, such as "Listed the backups of". */
  done: string;
  /** The same of a call that was refused, such as "Tried to list the backups of". */
  tried: string;
  /** The kind of what the target names, such as "server"; empty where the words say it. */
  resource: string;
}

/** Of each operation by its name; where two have one, those of the first. */
export const createActivityWords = (
  operations: readonly AnyOperation[],
): ReadonlyMap<string, ActivityWords> =>
  new Map(operations.toReversed().map((operation) => [operation.name, wordsOf(operation)]));

function wordsOf(operation: AnyOperation): ActivityWords {
  const resource = resourceOf(operation);
  const inForm = (formOf: Form) =>
    'openapi' in operation ? fromSummary(operation, formOf) : fromName(operation, formOf);
  const past = inForm(pastOf);
  const done = resource === '' ? past : withoutResource(past, resource);
  const tried = inForm((verb) => verb);
  return done === past
    ? { done: capitalized(done), tried: `Tried to ${tried}`, resource: '' }
    : { done: capitalized(done), tried: `Tried to ${withoutResource(tried, resource)}`, resource };
}

const withoutResource = (words: string, resource: string) =>
  words.replace(new RegExp(` (?:(?:an?|any|one of [\\w' ]+) )?${resource}s?$`), '');

type Form = (verb: string) => string;

/** "Start, stop or restart a server": "started, stopped or restarted a server". */
const fromSummary = ({ openapi: { summary } }: Operation, formOf: Form): string =>
  (summary.charAt(0).toLowerCase() + summary.slice(1))
    .replace(/\bmy\b/g, 'your')
    .replace(/^\w+(?:, \w+)*(?: or \w+)?/, (verbs) =>
      verbs.replace(/\w+/g, (word) => (word === 'or' ? word : formOf(word))),
    );

/** "keys.rotate": "rotated key"; "sessions.endOthers": "ended other sessions". */
function fromName(operation: AnyOperation, formOf: Form): string {
  const [group = '', ...path] = operation.name.split('.');
  const named = wordsIn(path.at(-1) ?? '');
  // A query may be named by what it shows alone.
  const isVerb = operation.type === 'mutation' || ['get', 'list', 'read'].includes(named[0] ?? '');
  const [verb = '', ...rest] = isVerb ? named : ['read', ...named];
  const resource = resourceOf(operation);
  const noun = resource || singular(group);
  if (rest.length === 0) return `${formOf(verb)}${verb === 'reply' ? ' to' : ''} ${noun}`;
  const object = rest.join(' ').replace(/^others$/, `other ${group}`);
  return `${formOf(verb)} ${object}${resource && ` of ${resource}`}`;
}

const wordsIn = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ');

const singular = (noun: string) => noun.replace(/s$/, '');

/** Other names of fields than that of the resource itself, such as "server_identifier". */
const resources: Record<string, string> = {
  slug: 'game',
  external_id: 'user',
  provider_id: 'subscription',
};

/** What the target is; "id" is of what the group of the operation's name holds. */
function resourceOf({ name, targetField }: AnyOperation): string {
  if (targetField === 'id') return singular(name.split('.')[0] ?? '');
  return resources[targetField ?? ''] ?? (targetField ?? '').replace(/_(identifier|id)$/, '');
}

const irregular: Record<string, string> = {
  get: 'read',
  read: 'read',
  send: 'sent',
  set: 'set',
  write: 'wrote',
};

/** By the rules of spelling, for verbs of one syllable and of more. */
function pastOf(verb: string): string {
  const known = irregular[verb];
  if (known) return known;
  if (verb.endsWith('e')) return `${verb}d`;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`;
  return /^[^aeiou]*[aeiou][^aeiouwxy]$/.test(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
