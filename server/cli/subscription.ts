/** `subscription add`: records what a user pays for. */
import type { Command } from 'commander';
import { z } from 'zod';
import { presentSubscription } from '../../routers/shapes/subscription.ts';
import { Email, Name } from './options.ts';
import { addVerb, CommandError, type Report, verb } from './verb.ts';
import { getUser, withModels } from './with-models.ts';

export function addSubscriptionCommands(program: Command): void {
  const subscription = program.command('subscription').description('What users pay for');
  addVerb(subscription, 'add', {
    summary: 'Record a subscription; the public sees a random reference and nothing of the payment provider',
    example: 'subscription add --email ada@example.com --provider-id sub_1Nabc --status active',
  })
    .requiredOption('--email <address>', "the subscriber's e-mail address")
    .requiredOption('--provider-id <id>', "the payment provider's id of it, known once only; never shown")
    .option('--status <word>', 'such as active or canceled', 'active')
    .action(verb(AddOptions, add));
}

const AddOptions = z.object({ email: Email, providerId: Name, status: Name });

const add = ({ email, ...newSubscription }: z.output<typeof AddOptions>) =>
  withModels(async (models): Promise<Report> => {
    const user = await getUser(models, email);
    const added = await models.subscriptions.add({ ...newSubscription, userId: user._id }, new Date());
    if (!added) throw new CommandError('a subscription with this --provider-id is recorded already');
    const { reference, status } = added;
    return { json: presentSubscription(added), text: `Added ${reference} (${status}) of ${email}.` };
  });
