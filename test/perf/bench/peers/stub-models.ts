/** A store that answers at once with the same records for everybody: what is left is the cost of the frame. */
import type { ApiKeys } from '../../../../models/api-key/store.ts';
import type { AuditEntries } from '../../../../models/audit-entry.ts';
import type { Games } from '../../../../models/game.ts';
import type { Models } from '../../../../models/index.ts';
import type { Tickets } from '../../../../models/ticket/store.ts';
import type { Users } from '../../../../models/user.ts';
import { gameRecords, keyRecord, ticketRecords, userRecord } from '../records.ts';

interface UsedByTheWorks {
  apiKeys: Pick<ApiKeys, 'verify' | 'touch'>;
  auditEntries: Pick<AuditEntries, 'store' | 'storeBatched'>;
  games: Pick<Games, 'listActive'>;
  tickets: Pick<Tickets, 'list' | 'open' | 'reply'>;
  users: Pick<Users, 'find'>;
}

export function createStubModels(): Models {
  const ticketIds = Array.from({ length: 20 }, (_, index) => index + 1);
  const customer = { userId: 1, secret: 'gamehost_live_stub', ticketIds, isInPlay: true, isOpen: true };
  const key = keyRecord(customer);
  const [user, tickets] = [userRecord(customer), ticketRecords(customer)];
  const games = Object.freeze(gameRecords()); // as the real store gives them out
  const models: UsedByTheWorks = {
    apiKeys: { verify: async () => ({ key, refusal: null }), touch: async () => {} },
    auditEntries: { store: async () => {}, storeBatched: async () => null },
    games: { listActive: async () => games },
    tickets: {
      list: async () => tickets,
      open: async ({ subject, now }) => ({ _id: 1, subject, status: 'New', createdAt: now, updatedAt: now }),
      reply: async () => 'replied',
    },
    users: { find: async () => user },
  };
  return models as Models; // nothing else of it is called by the works
}
