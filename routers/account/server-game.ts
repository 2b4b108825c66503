/** Guesses the game of a server, so that the account page shows the game's icon from the catalog. */
import { z } from 'zod';
import type { GameRecord } from '../../models/game.ts';
import { fold } from '../../models/support/fold.ts';
import type { PanelServer } from '../panel-port.ts';

export const ServerGame = z.object({ title: z.string(), icon: z.string().nullable() }).nullable();

const imageOriginsMax = 10;

type GuessedServer = Pick<PanelServer, 'name' | 'description' | 'program' | 'suggestsMinecraft'>;

/** The program says more than the name, which the owner chose. */
export function findGame(server: GuessedServer, games: readonly GameRecord[]): z.infer<typeof ServerGame> {
  const program = wordsOf(server.program);
  const texts = wordsOf(`${server.name} ${server.description}`);
  const game =
    longest(games, (words) => program.includes(` ${words.replaceAll(' ', '')}`)) ??
    longest(games, (words) => texts.includes(` ${words} `)) ??
    (server.suggestsMinecraft ? longest(games, (words) => words === 'minecraft') : undefined);
  return game
    ? { title: game.title, icon: game.icon !== null && isShown(game.icon) ? game.icon : null }
    : null;
}

/** In lower case, with a space before and after each word. */
const wordsOf = (text: string) => ` ${fold(text).replace(/[^\p{L}\p{N}]+/gu, ' ')} `;

/** The longest match wins: "Minecraft Bedrock" before "Minecraft". */
function longest(games: readonly GameRecord[], isMatch: (words: string) => boolean): GameRecord | undefined {
  let found: { game: GameRecord; length: number } | undefined;
  for (const game of games)
    for (const words of [game.title, game._id].map((text) => wordsOf(text).trim()))
      if (words !== '' && words.length > (found?.length ?? 0) && isMatch(words))
        found = { game, length: words.length };
  return found?.game;
}

/** An address of an image, or its content. The catalog may also hold a name that means something elsewhere only. */
const isShown = (icon: string) => /^(https:\/\/|data:image\/|\/(?!\/))/.test(icon);

/** A host may hold characters that would end a directive of the page's policy, such as a semicolon. */
const plainOrigin = /^https:\/\/[\w.-]+(:\d+)?$/;

/** The other origins that the icons of these games come from, for the page's policy. */
export function imageOriginsOf(games: readonly GameRecord[]): string[] {
  const icons = games.map(({ icon }) => icon).filter((icon) => icon !== null && URL.canParse(icon));
  const origins = icons.map((icon) => new URL(String(icon)).origin);
  return [...new Set(origins)].filter((origin) => plainOrigin.test(origin)).slice(0, imageOriginsMax);
}
