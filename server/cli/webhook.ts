/** `webhook`: list, disable, deliveries. */
import { z } from 'zod';
import { presentDelivery, presentWebhook } from '../../routers/schemas/webhook.ts';
import {
  addVerb,
  type CliCommand,
  CommandError,
  Email,
  getUser,
  type Io,
  printable,
  type Report,
  table,
  verb,
  withModels,
} from './command.ts';

const deliveriesMax = 100;

export function addWebhookCommands(program: CliCommand): void {
  const webhook = program.command('webhook').description('Where events are sent');
  addVerb(webhook, 'list', {
    summary: 'List webhooks, without the secret parts of their addresses',
    example: 'webhook list --email ada@example.com',
  })
    .option('--email <address>', 'only those of this user')
    .action(verb(z.object({ email: Email.optional() }), list));
  addVerb(webhook, 'disable', {
    summary: 'Turn a webhook off; its owner sees why, and can turn it on again',
    example: 'webhook disable whk_5f0c1d7ae2b94c3d8e6fa1b20c9d8e7f',
  })
    .argument('<id>', 'the id of the webhook, as webhook list shows it')
    .action(verb(Id, disable));
  addVerb(webhook, 'deliveries', {
    summary: 'List the newest deliveries of a webhook',
    example: 'webhook deliveries whk_5f0c1d7ae2b94c3d8e6fa1b20c9d8e7f',
  })
    .argument('<id>', 'the id of the webhook, as webhook list shows it')
    .action(verb(Id, deliveries));
}

const Id = z.object({ id: z.string() });

const list = ({ email }: { email?: string | undefined }, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
    const userId = email === undefined ? undefined : (await getUser(models, email))._id;
    const all = await models.credentials.settle(await models.webhooks.listAll(userId), new Date());
    const webhooks = all.map((endpoint) => ({
      user_id: endpoint.userId,
      audience: endpoint.audience,
      ...presentWebhook(endpoint),
    }));
    const columns = ['id', 'user_id', 'audience', 'url', 'events', 'active', 'disabled_reason'] as const;
    return { json: webhooks, text: table(webhooks, columns, 'No webhooks.') };
  });

const disable = ({ id }: z.output<typeof Id>, io: Io) =>
  withModels(io, async ({ webhooks }): Promise<Report> => {
    if (!(await webhooks.disable(id, 'Turned off by the host')))
      throw new CommandError(`there is no active webhook ${printable(id)}`);
    return { json: { disabled: true }, text: `Webhook ${printable(id)} is off.` };
  });

const deliveries = ({ id }: z.output<typeof Id>, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
    if (!(await models.webhooks.has(id))) throw new CommandError(`there is no webhook ${printable(id)}`);
    const found = await models.webhookDeliveries.list(id, { limit: deliveriesMax });
    const shown = found.map(presentDelivery);
    const rows = shown.map(({ attempts, ...delivery }) => {
      const { error = null, reason = error } = attempts.at(-1) ?? {};
      return { ...delivery, attempts: attempts.length, last_error: reason };
    });
    const times = ['next_attempt_at', 'created_at'] as const;
    const columns = ['id', 'type', 'status', 'attempts', ...times, 'last_error'] as const;
    return { json: shown, text: table(rows, columns, 'No deliveries.') };
  });
