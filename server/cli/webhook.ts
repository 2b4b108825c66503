/** `webhook`: list, disable, and list deliveries. */
import { z } from 'zod';
import { pageSizeMax } from '../../models/bounds.ts';
import { presentDelivery, presentWebhook } from '../../routers/webhooks/webhook-schema.ts';
import { findUserId } from './access.ts';
import { command, list, noun } from './command.ts';
import { Argument, Email } from './option.ts';
import { CommandError, printable } from './print.ts';

const OneWebhook = z.object({ id: Argument.describe('the id of the webhook, as webhook list shows it') });

export const webhook = noun('Where events are sent', {
  list: list({
    summary: 'List webhooks, without the secret parts of their addresses',
    example: 'webhook list --email ada@example.com',
    options: z.object({ email: Email.optional().describe('<address> only those of this user') }),
    async run(models, { email }) {
      const all = await models.webhooks.listAll(await findUserId(models, email));
      return (await models.credentials.endExpired(all, new Date())).map((endpoint) => ({
        user_id: endpoint.userId,
        audience: endpoint.audience,
        ...presentWebhook(endpoint),
      }));
    },
    columns: ['id', 'user_id', 'audience', 'url', 'events', 'active', 'disabled_reason'],
    empty: 'No webhooks.',
  }),
  disable: command({
    summary: 'Turn a webhook off; its owner sees why, and can turn it on again',
    example: 'webhook disable whk_5f0c1d7ae2b94c3d8e6fa1b20c9d8e7f',
    options: OneWebhook,
    async run({ webhooks }, { id }) {
      if (!(await webhooks.disable(id, 'Turned off by the host')))
        throw new CommandError(`there is no active webhook ${printable(id)}`);
      return { json: { disabled: true }, text: `Webhook ${printable(id)} is off.` };
    },
  }),
  deliveries: list({
    summary: 'List the newest deliveries of a webhook',
    example: 'webhook deliveries whk_5f0c1d7ae2b94c3d8e6fa1b20c9d8e7f',
    options: OneWebhook,
    async run(models, { id }) {
      if (!(await models.webhooks.has(id))) throw new CommandError(`there is no webhook ${printable(id)}`);
      return (await models.deliveries.list(id, { limit: pageSizeMax })).map(presentDelivery);
    },
    columns: [
      'id',
      'type',
      'status',
      ['attempts', ({ attempts }) => attempts.length],
      'next_attempt_at',
      'created_at',
      ['last_error', ({ attempts }) => attempts.at(-1)?.reason ?? attempts.at(-1)?.error ?? null],
    ],
    empty: 'No deliveries.',
  }),
});
