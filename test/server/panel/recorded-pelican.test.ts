/** The emulated panel answers like the recorded Pelican of August 2026: `recorded/pelican.jsonl`. */
import type { BackupAttributes } from '../../../server/panel/demo/panel.ts';

import { FileTree } from '../../support/panel/file-tree.ts';
import { startStandInPanel } from '../../support/stand-in-panel.ts';
import { useStarted } from '../../support/use-started.ts';
import {
  changeBackups,
  itAnswersAsRecorded,
  jsonOf,
  ownerIn,
  plantListed,
  type RecordedCall,
  readRecording,
  type StandInPanel,
} from './recording.ts';

const calls: RecordedCall[] = readRecording('pelican');
const { owner, servers } = ownerIn(calls);

const named = (name: string) => servers.find((server) => server.name === name)?.identifier ?? '';
const main = servers[0]?.identifier ?? '';
const slow = named('Slow');
const deadNodes = servers.flatMap(({ name, node }) => (/dead|hangs|maintenance/.test(name) ? node : []));
const mainBackup: BackupAttributes = jsonOf(calls, 'a backup').attributes;

async function startRecordedPanel() {
  const panel = await startStandInPanel('pelican');
  panel.servers.set(owner.id, servers).set(3, servers.slice(0, 1));
  const others = ['users by e-mail', 'users by external id filter'].flatMap(
    (name) => jsonOf(calls, name).data,
  );
  panel.users.push(owner, ...others.map(({ attributes }) => attributes));
  panel.runStates.set(main, 'offline').set(named('Off'), 'offline');
  panel.backups.set(main, [mainBackup]);
  panel.conditions.serverLimits.add('backups');
  panel.conditions.transferring.add(named('Transferring'));
  for (const node of deadNodes) panel.conditions.deadNodes.add(node);
  for (const { name, node } of servers)
    if (name.includes('maintenance')) panel.conditions.maintainedNodes.add(node);
  for (const { identifier } of servers) panel.files.set(identifier, new FileTree());
  return panel;
}

/** Repeats the events on the panel before each recorded call. */
const before: Partial<Record<string, (panel: StandInPanel) => unknown>> = {
  'backups, none': ({ backups }) => backups.delete(main),
  'write a denied file': ({ files }) => Object.assign(files.get(main) ?? {}, { denied: /^\/secret\.txt$/ }),
  'list after the write with a space': ({ files }) => files.get(main)?.write('/space.txt', 'x', 0),
  'websocket, sixth in a minute': (panel) => panel.limitWindows.set(`websocket ${main}`, usedUp(5)),
  'backups, one in progress or done': ({ backups }) => backups.set(main, [mainBackup]),
  'delete a locked backup': (panel) => changeBackups(panel, main, { is_locked: true }),
  'third backup in ten minutes': (panel) => panel.limitWindows.set(`backups ${main}`, usedUp(2)),
  'fourth restore in fifteen minutes': (panel) => panel.limitWindows.set(`restore ${main}`, usedUp(3)),
  'read utf-16 with a mark': ({ files }) => {
    const tree = plantListed(calls, ['list with a link']);
    tree.write('/utf16.txt', Buffer.from('\ufeffgrün', 'utf16le'), 0);
    tree.write('/bin.dat', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), 0);
    files.set(main, tree);
  },
  'delete something and what is not there': ({ files }) => files.get(main)?.write('/del1.txt', 'x', 0),
  'restore, without truncate': (panel) =>
    changeBackups(panel, slow, { completed_at: '2026-11-26T22:01:23+00:00' }),
  // The restore of an empty server ended at once.
  'backup while the server is restored': () =>
    Object.assign(servers.find(({ identifier }) => identifier === slow) ?? {}, { status: null }),
};

const usedUp = (used: number) => ({ used, endsAt: Date.now() + 60_000 });

describe('the emulated Pelican', () => {
  const panel = useStarted(startRecordedPanel);
  itAnswersAsRecorded(calls, panel, (name) => {
    before[name]?.(panel);
    setRights(name);
  });

  /** Sets the rights of the keys, which the name of a call states. */
  function setRights(name: string) {
    panel.conditions.isClientKeyAdmin = !/plain|no root admin/.test(name);
    panel.conditions.deniedResources.clear();
    for (const resource of ['users', 'servers', 'allocations'] as const)
      if (name.startsWith(`application key without ${resource}`))
        panel.conditions.deniedResources.add(resource);
    if (name.startsWith('application key without rights')) panel.conditions.deniedResources.add('users');
  }
});
