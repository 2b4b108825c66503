/** The emulated panel handles files and backups like the recorded Pterodactyl 1.11: `recorded/files.jsonl`. */
import { panelServer } from '../../support/panel/attributes.ts';
import { startStandInPanel } from '../../support/stand-in-panel.ts';
import { useStarted } from '../../support/use-started.ts';
import {
  changeBackups,
  itAnswersAsRecorded,
  plantListed,
  type RecordedCall,
  readRecording,
  type StandInPanel,
} from './recording.ts';

const calls: RecordedCall[] = readRecording('files');

const identifierOf = (name: string) => {
  const call = calls.find((candidate) => candidate.name === name);
  if (!call) throw new Error(`nothing was recorded as ${name}`);
  return call.request.path.split('/')[4] ?? '';
};

const main = identifierOf('list the root');
const withBackups = identifierOf('create a backup');

async function startRecordedPanel() {
  const panel = await startStandInPanel();
  panel.servers.set(
    1,
    [
      panelServer({ identifier: main }),
      panelServer({ identifier: identifierOf('write on a full disk') }),
      panelServer({ identifier: withBackups, feature_limits: { databases: 0, allocations: 0, backups: 9 } }),
      panelServer({
        identifier: identifierOf('create beyond the limit (0)'),
        feature_limits: { databases: 0, allocations: 0, backups: 0 },
      }),
      panelServer({ identifier: identifierOf('list: suspended'), suspended: true }),
      panelServer({ identifier: identifierOf('list: installfail'), status: 'install_failed' }),
      panelServer({ identifier: identifierOf('list: installing'), status: 'installing' }),
      panelServer({ identifier: identifierOf('list: restoring'), status: 'restoring_backup' }),
      panelServer({ identifier: identifierOf('list: transfer') }),
      panelServer({ identifier: identifierOf('list: down'), node: 2 }),
      panelServer({ identifier: identifierOf('list: hanga'), node: 2 }),
    ].map((server) => ({ ...server, uuid: `${server.identifier}${server.uuid.slice(8)}` })),
  );
  panel.conditions.transferring.add(identifierOf('list: transfer'));
  panel.conditions.deadNodes.add(2);
  panel.conditions.serverLimits.add('backups');
  const tree = plantListed(calls, ['list the root', 'list a directory']);
  tree.denied = /^\/secret\.cfg$|\.key$/;
  panel.files.set(main, tree);
  return panel;
}

/** Repeats the events on the panel before each recorded call. */
const before: Partial<Record<string, (panel: StandInPanel) => void>> = {
  'list without a directory': ({ files }) => files.get(main)?.delete('/sparse.bin'),
  'list on a full disk (limit 20 MiB)': ({ files }) =>
    files.set(
      identifierOf('write on a full disk'),
      plantListed(calls, ['list on a full disk (limit 20 MiB)']),
    ),
  'the backup when completed': (panel) =>
    changeBackups(panel, withBackups, { completed_at: '2026-11-26T22:15:33+00:00' }),
  'restore without truncate': (panel) => changeBackups(panel, withBackups, { is_successful: true }),
  'delete a locked backup': (panel) => {
    for (const server of panel.servers.get(1) ?? [])
      if (server.identifier === withBackups) Object.assign(server, { status: null });
    changeBackups(panel, withBackups, { is_locked: true });
  },
  // The first backup was more than ten minutes old at this recording.
  'create without a name': (panel) => {
    changeBackups(panel, withBackups, { is_locked: false });
    panel.limitWindows.clear();
  },
  'newer node: list a missing directory': (panel) => {
    panel.files.set(main, plantListed(calls, ['list without a directory', 'list a directory']));
    const tree = panel.files.get(main);
    if (tree) tree.denied = /^\/secret\.cfg$/;
    panel.conditions.hasNewerNodes = true;
  },
};

describe('the emulated Pterodactyl with files and backups', () => {
  const panel = useStarted(startRecordedPanel);
  itAnswersAsRecorded(calls, panel, (name) => before[name]?.(panel));
});
