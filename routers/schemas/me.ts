/** The key owner's profile (contract, section 2). */
import { z } from 'zod';
import type { UserRecord } from '../../models/user.ts';

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
    admin: z.boolean().describe('Whether the owner is an administrator.'),
    chat_id: z.string().nullable().describe('Id of the linked chat-platform account.'),
    chat_username: z.string().nullable(),
    chat_avatar_url: z.string().nullable(),
  })
  .meta({
    title: 'Me',
    description: "The key owner's profile.",
    examples: [exampleMe],
  });

export const presentMe = (user: UserRecord): z.infer<typeof Me> => ({
  id: user._id,
  email: user.email,
  first_name: user.firstName,
  last_name: user.lastName,
  nickname: user.nickname,
  admin: user.isAdmin,
  chat_id: user.chatId,
  chat_username: user.chatUsername,
  chat_avatar_url: user.chatAvatarUrl,
});
