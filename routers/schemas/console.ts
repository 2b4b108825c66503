/** Commands for the console of a game server (contract, part two, section 3). */
import { z } from 'zod';
import { filledText, openEnum } from './common.ts';
import { ServerIdentifier } from './server.ts';

/** The console takes a line break for the end of a command; NUL is refused by `filledText`. */
const controlCharacter = /(?!\0)[\p{Cc}\u2028\u2029]/u;

export const CommandRequest = z
  .strictObject({
    server_identifier: ServerIdentifier,
    command: filledText(500)
      .refine((value) => !controlCharacter.test(value), {
        error: 'must be a single line without control characters',
      })
      .describe(
        "The command as you would type it into the server's console: a single line without control characters.",
      ),
  })
  .meta({
    title: 'CommandRequest',
    examples: [{ server_identifier: '1a7ce997', command: 'say The server restarts in five minutes' }],
  });

export const CommandResult = z
  .object({
    server: z.string().describe("The server's identifier."),
    command: z.string(),
    status: openEnum('CommandStatus', ['accepted']).describe(
      'The panel accepted the command; its output is shown only in the panel.',
    ),
  })
  .meta({
    title: 'CommandResult',
    examples: [
      { server: '1a7ce997', command: 'say The server restarts in five minutes', status: 'accepted' },
    ],
  });
