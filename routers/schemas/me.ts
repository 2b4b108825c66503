/** The key owner's profile. */
import { z } from 'zod';
import type { UserRecord } from '../../models/user.ts';
import { createPick } from './pick.ts';

export const exampleMe = {
  id: 42,
  email: 'dana@example.com',
  first_name: 'Dana',
  last_name: 'Miller',
  nickname: 'dana',
  admin: false,
  chat_id: '80351110224678912',
  chat_username: 'dana',
  chat_avatar_url: null,
};

export const Me = z
  .object({
    id: z.int().describe('Identifies the user in this service.'),
    email: z.string().describe('The address for signing in and for notices, in lower case.'),
    first_name: z.string().nullable().describe('The given name; null if unknown.'),
    last_name: z.string().nullable().describe('The family name; null if unknown.'),
    nickname: z.string().nullable().describe('The display name; null if none.'),
    admin: z.boolean().describe('Whether the user is an administrator.'),
    chat_id: z.string().nullable().describe('The id of the linked chat-platform account; null if none.'),
    chat_username: z.string().nullable().describe('The user name of the linked chat account; null if none.'),
    chat_avatar_url: z
      .string()
      .nullable()
      .describe('The address of the picture of the linked chat account; null if none.'),
  })
  .meta({
    title: 'Me',
    description: "The key owner's profile.",
    examples: [exampleMe],
  });

const pickMe = createPick(Me);

export const presentMe = (user: UserRecord): z.infer<typeof Me> => ({ ...pickMe(user), admin: user.isAdmin });
