/** Guesses the game of a server, so that the account page shows the game's icon from the catalog. */
import { z } from 'zod';
import type { GameRecord } from '../../models/game.ts';
import { fold } from '../../models/support/fold.ts';
import type { PanelServer } from '../panel-port.ts';
import { memoizeByIdentity } from '../support/memoize.ts';

export const ServerGame = z.object({ title: z.string(), icon: z.string().nullable() }).nullable();

/** The names of games stand at the beginning; a description can be very long. */
const textMax = 300;

type GuessedServer = Pick<PanelServer, 'name' | 'description' | 'program' | 'suggestsMinecraft'>;

/** The program says more than the name, which the owner chose. */
export function findGame(server: GuessedServer, games: readonly GameRecord[]): z.infer<typeof ServerGame> {
  const program = wordsOf(server.program);
  const texts = wordsOf(`${server.name} ${server.description}`.slice(0, textMax));
  const titles = titlesOf(games);
  const found =
    titles.find(({ joined }) => program.includes(joined)) ??
    titles.find(({ words }) => texts.includes(words)) ??
    (server.suggestsMinecraft ? titles.find(({ words }) => words === ' minecraft ') : undefined);
  return found?.game ?? null;
}

/** In lower case, with a space before and after each word. */
const wordsOf = (text: string) =>
  ` ${fold(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** The longest first: "Minecraft Bedrock" before "Minecraft". */
const titlesOf = memoizeByIdentity((games: readonly GameRecord[]) =>
  games
    .flatMap(({ _id, title, icon }) => {
      const game = { title, icon: icon !== null && isShown(icon) ? icon : null };
      return [title, _id]
        .map(wordsOf)
        .map((words) => ({ game, words, joined: ` ${words.replaceAll(' ', '')}` }));
    })
    .filter(({ joined }) => joined !== ' ')
    .toSorted((one, other) => other.words.length - one.words.length),
);

/** An address of an image, or its content. The catalog may also hold a name that means something elsewhere only. */
const isShown = (icon: string) => /^(https:\/\/|data:image\/|\/(?![/\\]))/.test(icon);

const imageOriginsMax = 10;

/**
 * A host may hold characters that would end a directive of the page's policy, such as a semicolon. One that is longer than
 * any name in DNS would make the head of the response too long for proxies.
 */
const plainOrigin = /^https:\/\/[\w.-]{1,253}(:\d+)?$/;

/** The other origins that the icons of these games come from, for the page's policy. */
export const imageOriginsOf = memoizeByIdentity((games: readonly GameRecord[]): readonly string[] => {
  const icons = games.map(({ icon }) => icon).filter((icon) => icon !== null && URL.canParse(icon));
  const origins = icons.map((icon) => new URL(String(icon)).origin);
  return [...new Set(origins)].filter((origin) => plainOrigin.test(origin)).slice(0, imageOriginsMax);
});
