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
    id: z.int(),
    email: z.string(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    nickname: z.string().nullable(),
    admin: z.boolean().describe('Whether the key owner is an administrator.'),
    chat_id: z.string().nullable().describe('The id of the linked chat-platform account.'),
    chat_username: z.string().nullable(),
    chat_avatar_url: z.string().nullable(),
  })
  .meta({
    title: 'Me',
    description: "The key owner's profile.",
    examples: [exampleMe],
  });

const pickMe = createPick(Me);

export const presentMe = (user: UserRecord): z.infer<typeof Me> => ({ ...pickMe(user), admin: user.isAdmin });
