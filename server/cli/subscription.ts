/** `subscription`: add, import. */
import { z } from 'zod';
import { recordAddedSubscription, recordingImports } from '../../routers/events.ts';
import {
  presentSubscription,
  SubscriptionPutRequest,
  toProvisionedSubscription,
} from '../../routers/schemas/subscription.ts';
import {
  addVerb,
  type CliCommand,
  CommandError,
  Email,
  getUser,
  type Io,
  Name,
  type Report,
  verb,
  withModels,
} from './command.ts';
import { openImportFile } from './import-file.ts';

const importFormat = `
Each line is a JSON object with provider_id, user (the external_id of the user, who must exist) and status, as in
PUT /admin/subscriptions/{provider_id}.`;

export function addSubscriptionCommands(program: CliCommand): void {
  const subscription = program.command('subscription').description('Subscriptions of users');
  addVerb(subscription, 'add', {
    summary: 'Record a subscription; the API shows a random reference and nothing of the payment provider',
    example: 'subscription add --email ada@example.com --provider-id sub_1Nabc --status active',
  })
    .requiredOption('--email <address>', "the subscriber's e-mail address")
    .requiredOption('--provider-id <id>', "the payment provider's id, unique and never shown")
    .option('--status <word>', 'such as active or canceled', 'active')
    .action(verb(AddOptions, add));
  addVerb(subscription, 'import', {
    summary:
      'Create or change subscriptions by provider_id from an NDJSON file; a wrong line changes nothing',
    example: 'subscription import subscriptions.ndjson',
  })
    .argument('<file>', "the file; a relative path starts at the project's directory")
    .addHelpText('after', importFormat)
    .action(verb(z.object({ file: z.string() }), importSubscriptions));
}

const AddOptions = z.object({ email: Email, providerId: Name, status: Name });

const add = ({ email, ...newSubscription }: z.output<typeof AddOptions>, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
    const user = await getUser(models, email);
    const added = await models.subscriptions.add({ ...newSubscription, userId: user._id }, new Date());
    if (!added) throw new CommandError('a subscription with this --provider-id exists already');
    await recordAddedSubscription({ models }, added);
    const { reference, status } = added;
    return { json: presentSubscription(added), text: `Added ${reference} (${status}) of ${email}.` };
  });

async function importSubscriptions({ file }: { file: string }, io: Io): Promise<Report> {
  const importFile = await openImportFile(file, {
    schema: SubscriptionPutRequest,
    toEntry: toProvisionedSubscription,
    uniqueFields: ['provider_id'],
  });
  const { created, total, unknownUsers } = await withModels(io, async (models) => {
    const onPut = await recordingImports({ models, clock: Date.now });
    return models.provisioning.importSubscriptions(importFile, new Date(), onPut);
  });
  importFile.refuseMistakes(new Map(unknownUsers.map((position) => [position, 'user does not exist'])));
  const changed = total - created;
  const text = `Imported ${total} subscriptions: ${created} created, ${changed} changed or unchanged.`;
  return { json: { created, changed_or_unchanged: changed }, text };
}
