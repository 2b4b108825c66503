/** `mail`: list sent mails, and turn mail off. */
import { z } from 'zod';
import type { Models } from '../../models/index.ts';
import { type DeliveryRecord, mailIds } from '../../models/outbox/schema.ts';
import { formerAddressOf } from '../mail/notices.ts';
import { command, list, noun } from './command.ts';
import { Flag, limit } from './option.ts';

export const mail = noun('Mail to customers and to support', {
  list: list({
    summary: 'List the newest mails and how they went',
    example: 'mail list --failed',
    options: z.object({
      failed: Flag.describe('only mails that were given up, such as those to addresses that do not exist'),
      limit: limit(10_000),
    }),
    async run(models, { failed, limit }) {
      const page = { limit, ...(failed && { status: 'failed' as const }) };
      const ids = Object.values(mailIds);
      const found = (await Promise.all(ids.map((id) => models.deliveries.list(id, page)))).flat();
      found.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
      return Promise.all(found.slice(0, limit).map((delivery) => presentMail(models, delivery)));
    },
    columns: ['created_at', 'to', 'type', 'status', 'attempts', 'last_error'],
    empty: 'No mail.',
  }),
  off: command({
    summary: 'Turn mail off and drop waiting mails; a start with SMTP_URL turns it on again',
    example: 'mail off',
    options: z.object({}),
    async run({ notices }) {
      await notices.turnOff();
      return { json: { off: true }, text: 'Mail is off.' };
    },
  }),
});

async function presentMail(models: Models, delivery: DeliveryRecord) {
  const { _id: id, type, status, attempts, createdAt } = delivery;
  const last = attempts.at(-1);
  return {
    id,
    created_at: createdAt.toISOString(),
    to: await recipientOf(models, delivery),
    type,
    status,
    attempts: attempts.length,
    last_error: last?.error ? (last.smtpReply ?? last.error) : null,
  };
}

async function recipientOf(models: Models, { endpointId, eventId }: DeliveryRecord): Promise<string | null> {
  if (endpointId === mailIds.host) return 'SUPPORT_EMAIL';
  const event = await models.events.find(eventId);
  if (!event || event.userId === null) return null;
  return formerAddressOf(event.data) ?? (await models.users.find(event.userId))?.email ?? null;
}
