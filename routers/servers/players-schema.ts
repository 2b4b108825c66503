/** Wire schemas for the players on a server. */
import { z } from 'zod';
import type { PlayersNow } from '../players-port.ts';
import { dateTime, presentMoment } from '../schemas/common.ts';
import { createPick } from '../schemas/pick.ts';

const Players = z
  .object({
    online: z.int().nullable().describe('How many players are online, without bots; null if unknown.'),
    max: z.int().nullable().describe('How many may play at once; null if unknown.'),
    names: z
      .array(z.string())
      .nullable()
      .describe(
        'The names of the players, at most 100. null if the game sends no names or mixes in the names of bots; empty if there are no players.',
      ),
    measured_at: dateTime.describe('When the game answered; the current time if it was not queried.'),
    reason: z.string().nullable().describe('Why online is unknown, in a sentence; otherwise null.'),
  })
  .meta({
    title: 'Players',
    description: 'The players who are online now.',
    examples: [
      {
        online: 2,
        max: 20,
        names: ['Alex', 'Steve'],
        measured_at: '2026-11-21T09:30:00.000Z',
        reason: null,
      },
    ],
  });

export const PlayersResult = z.object({ players: Players });

const pickPlayers = createPick(Players);

export const presentPlayers = (players: PlayersNow): z.infer<typeof PlayersResult> => ({
  players: {
    ...pickPlayers(players),
    names: players.names && [...players.names],
    measured_at: presentMoment(new Date(players.measuredAt)),
  },
});
