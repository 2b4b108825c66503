/** `game import`: loads the catalog from a file. */
import type { Command } from 'commander';
import { z } from 'zod';
import { readGameFile } from './game-file.ts';
import { addVerb, type Report, verb } from './verb.ts';
import { withModels } from './with-models.ts';

const format = `
The file is a JSON array of games in the names of the public API: slug and title are required, and of a plan title,
price and period; everything else is optional. A game with "active": false is stored but not shown.
Games are added or replaced by slug, all or none; games not named in the file stay as they are.`;

export function addGameCommands(program: Command): void {
  const game = program.command('game').description('The catalog of games and their plans');
  addVerb(game, 'import', {
    summary: 'Add or replace games by slug from a JSON file; a file with a mistake changes nothing',
    example: 'game import games.json',
  })
    .argument('<file>', "the file; a relative path starts at the project's directory")
    .addHelpText('after', format)
    .action(verb(z.object({ file: z.string() }), importGames));
}

async function importGames({ file }: { file: string }): Promise<Report> {
  const games = await readGameFile(file);
  const json = await withModels((models) => models.games.import(games));
  return {
    json,
    text: `Imported ${games.length} ${games.length === 1 ? 'game' : 'games'}: ${json.added} added, ${json.replaced} replaced.`,
  };
}
