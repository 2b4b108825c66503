/** The contract's words for what the store keeps, as a hand-written service maps them; Dates are left to JSON. */
import type { GameRecord } from '../../../../models/game.ts';
import type { NumberedMessage, TicketDetail } from '../../../../models/ticket/read.ts';
import type { TicketSummary } from '../../../../models/ticket/store.ts';
import type { UserRecord } from '../../../../models/user.ts';

export const presentGame = ({ _id, isActive, ...game }: GameRecord) => ({ slug: _id, ...game });

export const presentMe = (user: Omit<UserRecord, 'passwordHash'>) => ({
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

export const presentTicket = (ticket: TicketSummary) => ({
  id: ticket._id,
  subject: ticket.subject,
  status: ticket.status,
  created_at: ticket.createdAt,
  updated_at: ticket.updatedAt,
});

export const presentDetail = (ticket: TicketDetail) => ({
  ...presentTicket(ticket),
  last_reply_by: ticket.lastReplyBy,
  message_count: ticket.messageCount,
  service_name: ticket.serviceName,
  service_reference: ticket.serviceReference,
  service_type: ticket.serviceType,
});

export const presentMessage = (message: NumberedMessage, nickname: string | null) => ({
  number: message.number,
  author: message.author,
  name: nickname ?? (message.author === 'staff' ? 'Support' : 'Customer'),
  message: message.text,
  created_at: message.createdAt,
});

export const presentCreated = ({ _id, subject, status }: TicketSummary) => ({ id: _id, subject, status });
