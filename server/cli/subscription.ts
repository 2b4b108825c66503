/** `subscription`: add and import. */
import { z } from 'zod';
import { addSubscription, recordSubscriptionEvents } from '../../routers/events.ts';
import {
  presentSubscription,
  SubscriptionPutRequest,
  toProvisionedSubscription,
} from '../../routers/schemas/subscription.ts';
import { filledLine } from '../../routers/schemas/text.ts';
import { getUser } from './access.ts';
import { command, noun } from './command.ts';
import { importFile } from './import-file.ts';
import { Email, Moment, Name } from './option.ts';
import { CommandError } from './print.ts';

const detail = filledLine(100).optional();

export const subscription = noun('Subscriptions of users', {
  add: command({
    summary: 'Record a subscription; the API shows a random reference and nothing from the payment provider',
    example:
      'subscription add --email ada@example.com --provider-id sub_1Nabc --status active --name "Survival 8 GB"',
    options: z.object({
      email: Email.describe("<address> the subscriber's e-mail address"),
      providerId: Name.describe("<id> the payment provider's id, unique and never shown"),
      status: Name.prefault('active').describe('<word> such as active or canceled'),
      name: detail.describe('<text> the plan or product, such as "Survival 8 GB"'),
      price: detail.describe('<text> the price in words, such as "€12.00 a month"'),
      renewsAt: Moment.optional().describe('<time> when it renews or ends, as an ISO 8601 time or date'),
    }),
    async run(models, { email, ...newSubscription }) {
      const user = await getUser(models, email);
      const deps = { models, clock: Date.now };
      const added = await addSubscription(deps, { ...newSubscription, userId: user._id });
      if (!added) throw new CommandError('a subscription with this --provider-id exists already');
      const { reference, status } = added;
      return { json: presentSubscription(added), text: `Added ${reference} (${status}) for ${email}.` };
    },
  }),
  import: command({
    summary:
      'Create or change subscriptions by provider_id from an NDJSON file; a wrong line changes nothing',
    example: 'subscription import subscriptions.ndjson',
    notes: `
Each line is a JSON object with provider_id, user (the external_id of the user, who must exist) and status, and
perhaps name, price and renews_at, as in PUT /admin/subscriptions/{provider_id}. Those three keep their value if they
are absent; null removes them.`,
    options: z.object({
      file: importFile({
        schema: SubscriptionPutRequest,
        toEntry: toProvisionedSubscription,
        uniqueFields: ['provider_id'],
      }),
    }),
    async run(models, { file }) {
      const deps = { models, clock: Date.now };
      const imported = await models.provisioning.importSubscriptions(file, new Date(), (put, transaction) =>
        recordSubscriptionEvents(deps, put, transaction),
      );
      const { created, total, unknownUsers } = imported;
      file.refuseMistakes(new Map(unknownUsers.map((position) => [position, 'user does not exist'])));
      const changed = total - created;
      const text = `Imported ${total} subscriptions: ${created} created, ${changed} changed or unchanged.`;
      return { json: { created, changed_or_unchanged: changed }, text };
    },
  }),
});
