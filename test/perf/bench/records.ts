/** Customers, keys, tickets and games as our own models keep them. */

import { hashSecret, prefixOf } from '../../../models/api-key/format.ts';
import type { ApiKeyRecord } from '../../../models/api-key/store.ts';
import type { GameRecord } from '../../../models/game.ts';
import type { TicketRecord } from '../../../models/ticket/schema.ts';
import type { UserRecord } from '../../../models/user.ts';
import { scopes } from '../../../routers/scopes.ts';
import type { Customer } from './customers.ts';

const createdAt = new Date('2026-01-05T09:30:00Z');

/** In the future, so that no server notes a key's use while it is measured: once a minute it would be one write more. */
const lastUsedAt = new Date('2100-01-01T00:00:00Z');

export const userRecord = ({ userId }: Customer): UserRecord => ({
  _id: userId,
  email: `customer${userId}@example.com`,
  passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$c29tZWhhc2hvZnRoaXJ0eXR3b2J5dGVz',
  firstName: 'Dana',
  lastName: 'Miller',
  nickname: `dana${userId}`,
  isAdmin: false,
  chatId: '80351110224678912',
  chatUsername: 'dana',
  chatAvatarUrl: 'https://cdn.chat.example/avatars/80351110224678912.png',
  panelUserId: userId,
  externalId: null,
  isActive: true,
  sessionsEndedAt: null,
  createdAt,
  updatedAt: createdAt,
});

export const keyRecord = ({ userId, secret }: Customer): ApiKeyRecord => ({
  _id: `key-${userId}`,
  userId,
  name: 'bench',
  hash: hashSecret(secret),
  prefix: prefixOf(secret),
  scopes: scopes.filter((scope) => !scope.startsWith('admin:')),
  createdAt,
  expiresAt: null,
  revokedAt: null,
  replacedBy: null,
  lastUsedAt,
});

export const staffRecord = (member: Customer): UserRecord => ({ ...userRecord(member), isAdmin: true });

export const staffKeyRecord = (member: Customer): ApiKeyRecord => ({
  ...keyRecord(member),
  scopes: ['admin:tickets'],
});

/** Who answers the tickets: a user who is there however many there are. */
const staffId = 1;

/** Staff wrote last in every other one. */
export const ticketRecords = ({ userId, ticketIds, isOpen }: Customer): TicketRecord[] =>
  ticketIds.map((_id) => ({
    _id,
    userId,
    subject: `Players time out since noon (${_id})`,
    status: isOpen ? 'Active' : 'Closed',
    lastReplyBy: _id % 2 === 0 ? 'staff' : 'customer',
    serviceName: null,
    serviceReference: null,
    serviceType: null,
    messages: [
      ticketMessage(userId, 'Players time out every few minutes.'),
      _id % 2 === 0
        ? { ...ticketMessage(staffId, 'Thank you, we are looking into it.'), author: 'staff' as const }
        : ticketMessage(userId, 'It began with the update.'),
    ],
    messageBytes: 69,
    createdAt,
    updatedAt: createdAt,
  }));

const ticketMessage = (userId: number, text: string) => ({
  id: `message-${userId}`,
  ...{ userId, keyId: `key-${userId}`, text, createdAt },
});

/** Twelve games with three plans each, about 8 kB of JSON. */
export const gameRecords = (): GameRecord[] =>
  Array.from({ length: 12 }, (_, index) => ({
    _id: `game-${index}`,
    title: `Game ${String(index).padStart(2, '0')}`,
    description: 'Servers that are ready in a minute, with any mod pack.',
    shortDesc: 'Ready in a minute.',
    category: 'Survival',
    icon: `https://cdn.gamehost.example/game-${index}/icon.svg`,
    cover: null,
    banner: null,
    pricingBackground: null,
    priceFrom: '4.99',
    plans: ['Dirt', 'Iron', 'Gold'].map((title) => ({
      title,
      subtitle: 'For a few friends',
      price: '9.99',
      period: 'month',
      popular: title === 'Iron',
      features: ['6 GB memory', '40 slots'],
      billingId: null,
    })),
    isActive: true,
  }));
