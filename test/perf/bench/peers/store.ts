/** What a hand-written service asks of its database; each peer brings its own, and the frames above are shared. */
import type { AuditEntryRecord } from '../../../../models/audit-entry.ts';
import type { GameRecord } from '../../../../models/game.ts';
import type { TicketFilter } from '../../../../models/ticket/list.ts';
import type { Conversation, PageRequest, TicketDetail } from '../../../../models/ticket/read.ts';
import type { TicketSummary } from '../../../../models/ticket/store.ts';
import type { NewReply, NewTicket } from '../../../../models/ticket/write.ts';
import type { UserRecord } from '../../../../models/user.ts';

/** Whom a verified key stands for. */
export interface KeyOwner {
  keyId: string;
  userId: number;
  scopes: readonly string[];
}

export interface Store {
  /** Looks a secret up by its hash; null for a key that is unknown, revoked or expired. Notes the key's use. */
  verifyKey(secret: string, now: Date): Promise<KeyOwner | null>;
  listGames(): Promise<readonly GameRecord[]>;
  findUser(id: number): Promise<UserRecord | null>;
  listTickets(userId: number): Promise<TicketSummary[]>;
  openTicket(ticket: NewTicket): Promise<TicketSummary>;
  reply(reply: NewReply): Promise<'replied' | 'not_found' | 'closed' | 'unseen' | 'full'>;
  storeAudit(entries: AuditEntryRecord[]): Promise<void>;
}

/** Conversations and filtered lists, which not all peers have. */
export interface ConversationStore {
  searchTickets(filter: TicketFilter & { userId: number }): Promise<TicketDetail[]>;
  readTicket(userId: number, id: number, page: PageRequest): Promise<Conversation | null>;
  findNicknames(userIds: readonly number[]): Promise<ReadonlyMap<number, string | null>>;
}
