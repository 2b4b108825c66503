/** `game import`: loads the catalog from a file, and reports the position of every mistake in it. */
import { z } from 'zod';
import type { GameRecord } from '../../models/game.ts';
import { GamePutRequest, toGameRecord } from '../../routers/schemas/game.ts';
import { describeIssue } from '../../routers/support/format-zod-error.ts';
import { command, noun } from './command.ts';
import { notImported } from './import-file.ts';
import { file } from './option.ts';
import { CommandError, printable } from './print.ts';
import { decodeFile, readText } from './text-input.ts';

export const game = noun('The catalog of games and their plans', {
  import: command({
    summary: 'Add or replace games by slug from a JSON file; a file with a mistake changes nothing',
    example: 'game import games.json',
    notes: `
The file is a JSON array of games with the field names of the API. A game requires slug and title, a plan requires title,
price and period; everything else is optional. A game with "active": false is stored but not shown.
Games are added or replaced by slug, all or none; games not named in the file stay unchanged.`,
    options: z.object({ file: file(readGameFile) }),
    async run(models, { file: games }) {
      const json = await models.games.import(games);
      const count = `${games.length} ${games.length === 1 ? 'game' : 'games'}`;
      return { json, text: `Imported ${count}: ${json.added} added, ${json.replaced} replaced.` };
    },
  }),
});

async function readGameFile(path: string): Promise<GameRecord[]> {
  const entries = parseArray(await readText(decodeFile(path)), path);
  const parsed = z.array(GamePutRequest).safeParse(entries);
  const mistakes = [...(parsed.error?.issues ?? []).map(describeIssue), ...repeatedSlugs(entries)];
  if (!parsed.success || mistakes.length > 0) {
    throw notImported(path, mistakes.map(toMistake), ' (games are counted from 0)');
  }
  return parsed.data.map(toGameRecord);
}

function toMistake(mistake: string) {
  const [, place = '', what = mistake] = /^(\d+[. ])(.*)$/s.exec(mistake) ?? [];
  return { where: `game ${place}`, what };
}

function parseArray(text: string, path: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CommandError(`${path} is not JSON: ${printable(String(cause))}`, { cause });
  }
  if (!Array.isArray(value)) throw new CommandError(`${path} is not a JSON array of games`);
  return value;
}

function repeatedSlugs(entries: readonly unknown[]): string[] {
  const slugs = entries.map((entry) => z.object({ slug: z.string() }).safeParse(entry).data?.slug);
  return slugs.flatMap((slug, index) => {
    const first = slugs.indexOf(slug);
    return slug !== undefined && first < index ? [`${index}.slug is the same as ${first}.slug`] : [];
  });
}
