/** A file of games, in the wire's names, as records of the catalog; every mistake in it is named by its place. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { GameRecord } from '../../models/game.ts';
import { describeIssue } from '../../routers/bad-input.ts';
import { filledText, text } from '../../routers/shapes/text.ts';
import { printable } from './table.ts';
import { CommandError } from './verb.ts';

const optionalText = (maxLength: number) => text(maxLength).nullable().default(null);

const Plan = z.strictObject({
  title: filledText(200),
  subtitle: text(200).default(''),
  price: filledText(100),
  period: filledText(100),
  popular: z.boolean().default(false),
  features: z.array(text(200)).max(100).default([]),
  billingId: optionalText(200),
});

/** A slug stands in a path: nothing in it may need escaping, and it may not be `.` or `..`. */
const slugPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const Game = z.strictObject({
  slug: z.string().regex(slugPattern, {
    error:
      'must be 1 to 100 letters, digits, dots, underscores and hyphens, beginning with a letter or digit',
  }),
  title: filledText(200),
  description: optionalText(10_000),
  shortDesc: optionalText(1000),
  category: optionalText(200),
  icon: optionalText(2000),
  cover: optionalText(2000),
  banner: optionalText(2000),
  pricingBackground: optionalText(2000),
  priceFrom: optionalText(100),
  plans: z.array(Plan).max(100).default([]),
  active: z.boolean().default(true),
});

/** @throws {CommandError} that lists what is wrong: index of the game, field, rule */
export async function readGameFile(path: string): Promise<GameRecord[]> {
  const entries = parseArray(await readFile(path), path);
  const parsed = z.array(Game).safeParse(entries);
  const mistakes = [...(parsed.error?.issues ?? []).map(describeIssue), ...repeatedSlugs(entries)];
  if (!parsed.success || mistakes.length > 0) throw refusal(path, mistakes);
  return parsed.data.map(({ slug, active, ...game }) => ({ ...game, _id: slug, isActive: active }));
}

function parseArray(bytes: Buffer, path: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new CommandError(`${path} is not JSON in UTF-8: ${printable(String(cause))}`, { cause });
  }
  if (!Array.isArray(value)) throw new CommandError(`${path} is not a JSON array of games`);
  return value;
}

function repeatedSlugs(entries: readonly unknown[]): string[] {
  const slugs = entries.map(slugOf);
  return slugs.flatMap((slug, index) => {
    const first = slugs.indexOf(slug);
    return typeof slug === 'string' && first < index ? [`${index}.slug is the same as ${first}.slug`] : [];
  });
}

const slugOf = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'slug' in entry ? entry.slug : null;

const namedMistakesMax = 50;

function refusal(path: string, mistakes: string[]): CommandError {
  const named = mistakes.slice(0, namedMistakesMax).map((mistake) => `  game ${mistake}`);
  const more = mistakes.length - named.length;
  const lines = more > 0 ? [...named, `  and ${more} more`] : named;
  return new CommandError([`${path} is refused whole (games are counted from 0):`, ...lines].join('\n'));
}
