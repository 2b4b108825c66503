/** A stored event of each type that is announced by mail. */
import type { EventType } from '../../models/outbox/event-types.ts';
import type { EventRecord } from '../../models/outbox/schema.ts';

const at = new Date('2026-11-26T18:00:00Z');
const ticket = { id: 7, subject: 'Lag <since> noon', status: 'Active' };
const key = {
  ...{ name: 'laptop', prefix: 'gamehost_live_ab12', scopes: ['read:account', 'write:tickets'] },
  expires_at: '2026-12-03T18:00:00.000Z',
};
const message = { number: 2, author: 'staff', name: 'Robin', message: 'We look into it.\nIs it better?' };

const eventOf = (type: EventType, data: object, more: Partial<EventRecord> = {}): EventRecord => ({
  ...{ _id: 'evt_1', type, userId: 42, at, data, user: null, storedAt: at },
  ...more,
});

const dana = { id: 42, email: 'dana@example.com', externalId: null, nickname: 'dana' };
const toSupport = { user: dana };

export const sampleEvents = {
  customer: [
    eventOf('ticket.replied', { ticket, message }),
    eventOf('ticket.status_changed', { ticket: { ...ticket, status: 'Closed' } }, { isByStaff: true }),
    eventOf('key.created', { key, reason: null }),
    eventOf('key.created', { key, reason: 'rotated' }),
    eventOf('key.revoked', { key, reason: 'leaked' }),
    eventOf('key.expiring', { key, reason: null }),
    eventOf('webhook.disabled', {
      webhook: { id: 'whk_1', description: null, host: 'status.example.com' },
      reason: 'No delivery succeeded for 120 hours',
    }),
    eventOf('app.connected', { app: { name: 'Claude' }, scopes: ['read:account'] }),
    eventOf('password.changed', {}),
    eventOf('email.changed', { former_email: 'old@example.com' }),
    eventOf('email.changed', { former_email: null }),
    eventOf('user.deleted', { former_email: 'old@example.com' }),
    eventOf('panel_user.removed', { former_email: 'old@example.com' }),
    eventOf('factor.added', { factor: { kind: 'app', name: 'Phone' } }),
    eventOf('factor.removed', { factor: { kind: 'passkey', name: 'Laptop' } }),
    eventOf('factors.reset', {}),
    eventOf('recovery_code.used', { left: 9 }),
    eventOf('notices.collected', {
      ...{ audience: 'customer', count: 2 },
      items: [1, 2].map((id) => ({
        id: `dlv_${id}`,
        text: `Support answered your ticket #${id}`,
        path: '/a',
      })),
    }),
  ],
  host: [
    eventOf('ticket.created', { ticket }, toSupport),
    eventOf('ticket.replied', { ticket, message: { ...message, author: 'customer' } }, toSupport),
  ],
};
