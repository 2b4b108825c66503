/** The commands that the description of the router's own operations makes. */
import { expect } from 'chai';
import { readFields } from '../../../bridge/client/src/command/fields.ts';
import { nameCommands } from '../../../bridge/client/src/command/names.ts';
import { type Description, readOperations } from '../../../bridge/client/src/operations.ts';
import { createOpenApiDocument } from '../../../bridge/openapi/document.ts';
import { appRouter } from '../../../routers/index.ts';

const commands = `
account get-current-key = getCurrentKey
account get-profile = getMyProfile
activity get-summary = getMyActivitySummary
activity list = listMyActivity
admin change-announcement = adminChangeAnnouncement
admin change-webhook = adminChangeWebhook
admin create-announcement = adminCreateAnnouncement
admin create-sign-in-link = adminCreateSignInLink
admin create-webhook = adminCreateWebhook
admin delete-announcement = adminDeleteAnnouncement
admin delete-game = adminDeleteGame
admin delete-subscription = adminDeleteSubscription
admin delete-user = adminDeleteUser
admin delete-webhook = adminDeleteWebhook
admin get-announcement = adminGetAnnouncement
admin get-game = adminGetGame
admin get-user = adminGetUser
admin get-webhook = adminGetWebhook
admin invite-user = adminInviteUser
admin list-announcements = adminListAnnouncements
admin list-games = adminListGames
admin list-user-servers = adminListUserServers
admin list-users = adminListUsers
admin list-webhook-deliveries = adminListWebhookDeliveries
admin list-webhooks = adminListWebhooks
admin put-game = adminPutGame
admin put-subscription = adminPutSubscription
admin put-user = adminPutUser
admin redeliver-webhook-event = adminRedeliverWebhookEvent
admin rotate-webhook-secret = adminRotateWebhookSecret
admin test-webhook = adminTestWebhook
announcements list = listAnnouncements
catalog get-game = getGame
catalog list-games = listGames
description get-open-api-document = getOpenApiDocument
files create-directory = createServerDirectory
files create-upload-link = createFileUploadLink
files delete = deleteServerFiles
files fetch = fetchServerFile
files get-download-link = getFileDownloadLink
files list = listServerFiles
files move = moveServerFile
files read = readServerFile
files write = writeServerFile
security revoke-credential = revokeCredential
servers change-startup = changeServerStartup
servers command = sendConsoleCommand
servers console = getConsoleOutput
servers create-backup = createServerBackup
servers create-schedule = createServerSchedule
servers delete-backup = deleteServerBackup
servers delete-schedule = deleteServerSchedule
servers get = getServer
servers get-backup = getServerBackup
servers get-backup-download-link = getBackupDownloadLink
servers get-players = getServerPlayers
servers get-resources = getServerResources
servers get-startup = getServerStartup
servers list = listMyServers
servers list-backups = listServerBackups
servers list-schedules = listServerSchedules
servers list-states = listServerStates
servers power = setServerPower
servers reinstall = reinstallServer
servers replace-schedule = replaceServerSchedule
servers restore-backup = restoreServerBackup
servers run-schedule = runServerSchedule
subscriptions list = listMySubscriptions
support answer-customer-ticket = answerCustomerTicket
support assign-customer-ticket = assignCustomerTicket
support get-customer-ticket = getCustomerTicket
support list-customer-tickets = listCustomerTickets
support note-customer-ticket = noteCustomerTicket
support set-customer-ticket-status = setCustomerTicketStatus
tickets close = closeTicket
tickets create = createTicket
tickets get = getTicket
tickets list = listMyTickets
tickets reopen = reopenTicket
tickets reply = replyToTicket
webhooks change = changeWebhook
webhooks create = createWebhook
webhooks delete = deleteWebhook
webhooks get = getWebhook
webhooks list = listMyWebhooks
webhooks list-deliveries = listWebhookDeliveries
webhooks redeliver-event = redeliverWebhookEvent
webhooks rotate-secret = rotateWebhookSecret
webhooks test = testWebhook
`;

describe('the command gamehost', () => {
  const description: Description = createOpenApiDocument(appRouter);
  const operations = readOperations(description);

  it('has a short name for each operation, unique within the group of its tag', () => {
    const groups = [...new Set(operations.map(({ group }) => group))];
    const rows = groups.flatMap((group) =>
      [...nameCommands(operations.filter((one) => one.group === group))].map(
        ([{ name }, [command]]) => `${group.toLowerCase()} ${command} = ${name}`,
      ),
    );
    // A new operation: is its name the one that a person tries first? If not, declare `command` in its endpoint.
    expect(rows.sort()).to.deep.equal(commands.trim().split('\n'));
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
      expect(
        flags.filter((flag) => flag.startsWith('--field-')),
        operation.name,
      ).to.deep.equal([]);
      for (const { description: text, name } of [...path, ...others])
        expect(text, `${operation.name} ${name}`).not.to.equal('');
    }
  });
});
