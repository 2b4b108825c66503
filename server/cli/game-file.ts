/** Reads a file of games, in the API's field names, and reports every mistake with its position. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { GameRecord } from '../../models/game.ts';
import { describeIssue } from '../../routers/format-zod-error.ts';
import { GamePutRequest, toGameRecord } from '../../routers/schemas/game.ts';
import { printable } from './table.ts';
import { CommandError } from './verb.ts';

/** @throws {CommandError} that lists every mistake: index of the game, field, rule */
export async function readGameFile(path: string): Promise<GameRecord[]> {
  const entries = parseArray(await readFile(path), path);
  const parsed = z.array(GamePutRequest).safeParse(entries);
  const mistakes = [...(parsed.error?.issues ?? []).map(describeIssue), ...repeatedSlugs(entries)];
  if (!parsed.success || mistakes.length > 0) throw refusal(path, mistakes);
  return parsed.data.map(toGameRecord);
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
  return new CommandError([`${path} was not imported (games are counted from 0):`, ...lines].join('\n'));
}
