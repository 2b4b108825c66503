/** The forms of the account page about servers, their files and backups. */
import { panelBackup, panelServer } from '../../server/panel/demo/attributes.ts';
import { FileTree } from '../../server/panel/demo/file-tree.ts';
import type { TestedForm } from './account-forms.ts';
import { dialogOf, refusal, type Scene, signIn } from './account-page.ts';

const id = 'a1b2c3d4';

export function serverForms(at: Scene): TestedForm[] {
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) => dialogOf(at.page).getByRole('button', { name, exact: true });
  const text = () => at.page.getByRole('textbox', { name: 'Text' });
  const tree = new FileTree({ '/config.yml': 'a: 1\n', '/old/notes.txt': 'old' });

  async function open(place: string): Promise<void> {
    at.user = await at.service.addUser({ panelUserId: 7 });
    const { panel, clock } = at.service;
    panel.servers.set(7, [panelServer({ identifier: id, name: 'Survival' })]);
    panel.backups.set(id, [panelBackup({ name: 'Nightly' })]);
    panel.consoleLines.set(id, ['Done']);
    panel.files.set(id, tree);
    clock.advance(60_000); // past every cache
    await at.page.goto(`/account/servers/${id}${place}`);
    await signIn(at.page, at.user.email);
    await at.page.getByRole('heading', { name: 'Survival' }).waitFor();
  }

  async function openDialog(place: string, opener: string): Promise<void> {
    await open(place);
    await button(opener).click();
  }

  /** The first try tells of what another wrote meanwhile. */
  async function openConflict(): Promise<void> {
    at.expected.unshift(refusal(409, 'Conflict'));
    await open('/files?file=/config.yml');
    await text().fill('a: 2\n');
    tree.write('/config.yml', `a: ${tree.get('/config.yml')?.content}`, 0);
    await button('Save').click();
    await dialogOf(at.page).waitFor();
  }

  const nameIt = () => dialogOf(at.page).getByLabel('Name').fill('new');

  return [
    {
      file: 'servers/power.tsx',
      open: () => openDialog('', 'Stop Survival'),
      submit: () => inDialog('Stop server').click(),
      calls: 'servers.power',
    },
    {
      file: 'servers/console.tsx',
      open: () => open('/console'),
      submit: () => button('Send').click(),
      missing: 'Type a command.',
      fill: () => at.page.getByLabel('Command').fill('say hello'),
      calls: 'servers.console.send',
    },
    {
      file: 'servers/backup-dialogs.tsx',
      open: () => openDialog('/backups', 'Create a backup of Survival'),
      submit: () => inDialog('Create backup').click(),
      calls: 'servers.backups.create',
    },
    {
      file: 'servers/backup-dialogs.tsx',
      open: () => {
        at.service.panel.runStates.set(id, 'offline');
        return openDialog('/backups', 'Restore Nightly');
      },
      submit: () => inDialog('Restore backup').click(),
      calls: 'servers.backups.restore',
    },
    {
      file: 'servers/backup-dialogs.tsx',
      open: () => openDialog('/backups', 'Delete Nightly'),
      submit: () => inDialog('Delete backup').click(),
      calls: 'servers.backups.delete',
    },
    {
      file: 'servers/file-dialogs.tsx',
      open: () => openDialog('/files', 'New file'),
      submit: () => inDialog('Create file').click(),
      missing: 'Give it a name.',
      fill: nameIt,
      calls: 'servers.files.write',
    },
    {
      file: 'servers/file-dialogs.tsx',
      open: () => openDialog('/files', 'New directory'),
      submit: () => inDialog('Create directory').click(),
      missing: 'Give it a name.',
      fill: nameIt,
      calls: 'servers.files.createDirectory',
    },
    {
      file: 'servers/file-dialogs.tsx',
      open: () => openDialog('/files', 'Move or rename config.yml'),
      submit: () => inDialog('Move').click(),
      calls: 'servers.files.move',
    },
    {
      file: 'servers/file-dialogs.tsx',
      open: () => openDialog('/files', 'Delete config.yml'),
      submit: () => inDialog('Delete').click(),
      calls: 'servers.files.delete',
    },
    {
      file: 'servers/file-editor.tsx',
      open: () => open('/files?file=/config.yml'),
      submit: () => button('Save').click(),
      fill: () => text().fill('a: 3\n'),
      calls: 'servers.files.write',
    },
    {
      file: 'servers/conflict-dialog.tsx',
      open: openConflict,
      submit: () => inDialog('Overwrite it').click(),
      calls: 'servers.files.write',
    },
  ];
}
