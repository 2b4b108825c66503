/** The commands that the description of the router's own operations makes. */
import { expect } from 'chai';
import { readFields } from '../../../bridge/client/src/command/fields.ts';
import { nameCommands } from '../../../bridge/client/src/command/names.ts';
import { type Description, readOperations } from '../../../bridge/client/src/operations.ts';
import { createOpenApiDocument } from '../../../bridge/openapi/document.ts';
import { appRouter } from '../../../routers/index.ts';

const commands = `
account: get-current-key get-profile
activity: get-summary list
admin: change-announcement change-webhook create-announcement create-sign-in-link create-webhook
  delete-announcement delete-game delete-subscription delete-user delete-webhook get-announcement get-game
  get-user get-webhook invite-user list-announcements list-games list-user-servers list-users
  list-webhook-deliveries list-webhooks put-game put-subscription put-user redeliver-webhook-event
  rotate-webhook-secret test-webhook
announcements: list
catalog: get-game list-games
description: get-open-api-document
files: create-directory create-upload-link delete fetch get-download-link list move read write
security: revoke-credential
servers: change-startup command console create-backup create-schedule delete-backup delete-schedule get
  get-backup get-backup-download-link get-players get-resources get-startup list list-backups list-schedules
  list-states power reinstall replace-schedule restore-backup run-schedule
subscriptions: list
support: answer-customer-ticket assign-customer-ticket get-customer-ticket list-customer-tickets
  note-customer-ticket set-customer-ticket-status
tickets: close create get list reopen reply
webhooks: change create delete get list list-deliveries redeliver-event rotate-secret test
`;

describe('the command gamehost', () => {
  const description: Description = createOpenApiDocument(appRouter);
  const operations = readOperations(description);

  it('has a short name for each operation, unique within the group of its tag', () => {
    const groups = [...new Set(operations.map(({ group }) => group))];
    const lines = groups.map((group) => {
      const names = [...nameCommands(operations.filter((one) => one.group === group)).values()];
      const short = names.map(([name]) => name).sort();
      return `${group.toLowerCase()}: ${short.join(' ')}`;
    });
    // A new operation: is its name the one that a person tries first? If not, declare `command` in its endpoint.
    expect(lines.sort()).to.deep.equal(commands.replaceAll('\n  ', ' ').trim().split('\n'));
  });

  it('keeps only the operationId of a later operation with the same short name', () => {
    const [first, second] = operations;
    if (!first || !second) throw new Error('No operations');
    const twins = [
      { ...first, group: 'Mods', name: 'listMyMods' },
      { ...second, group: 'Mods', name: 'listServerMods' },
    ];
    expect([...nameCommands(twins).values()]).to.deep.equal([['list', 'listMyMods'], ['listServerMods']]);
  });

  it('has an option for each field, whose name no option of its own takes', () => {
    for (const operation of operations) {
      const { path, others } = readFields(operation, description.components.schemas);
      const flags = others.map(({ flag }) => flag);
      expect(flags, operation.name).to.deep.equal([...new Set(flags)]);
      expect(flags.join(), operation.name).to.not.include('--field-');
      for (const { description: text, name } of [...path, ...others])
        expect(text, `${operation.name} ${name}`).not.to.equal('');
    }
  });
});
