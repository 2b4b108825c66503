/** Who plays on a server. */
import { z } from 'zod';
import type { PlayersNow } from '../players-port.ts';
import { dateTime, presentMoment } from '../schemas/common.ts';
import { createPick } from '../schemas/pick.ts';

const Players = z
  .object({
    online: z.int().nullable().describe('How many play, without bots; null where it is unknown.'),
    max: z.int().nullable().describe('How many may play at once; null where it is unknown.'),
    names: z
      .array(z.string())
      .nullable()
      .describe(
        'Their names, at most 100. Null where the game sends none or mixes in names of bots; empty where nobody plays.',
      ),
    measured_at: dateTime.describe('When the game answered; now where it was not asked.'),
    reason: z.string().nullable().describe('Why online is unknown, in a sentence; null otherwise.'),
  })
  .meta({
    title: 'Players',
    description: 'Who plays now.',
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
