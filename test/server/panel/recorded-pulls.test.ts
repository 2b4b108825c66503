/** The emulated panel handles pulls like the recorded Pterodactyl 1.11: `recorded/pulls.jsonl`. */

import { panelServer } from '../../support/panel/attributes.ts';
import { FileTree } from '../../support/panel/file-tree.ts';
import { startStandInPanel } from '../../support/stand-in-panel.ts';
import { useStarted } from '../../support/use-started.ts';
import { itAnswersAsRecorded, type RecordedCall, readRecording, type StandInPanel } from './recording.ts';

const calls: RecordedCall[] = readRecording('pulls');

const identifierOf = (name: string) =>
  calls.find((call) => call.name === name)?.request.path.split('/')[4] ?? '';
const main = identifierOf('pull: foreground');

async function startRecordedPanel() {
  const panel = await startStandInPanel();
  const servers = [
    panelServer({ identifier: main }),
    panelServer({ identifier: identifierOf('pull: the eleventh, of another server') }),
    panelServer({ identifier: identifierOf('pull: the disk of the server is smaller') }),
    panelServer({ identifier: identifierOf('maintenance: pull'), node: 2 }),
    panelServer({ identifier: identifierOf('pull: suspended'), suspended: true }),
    panelServer({ identifier: identifierOf('pull: installing'), status: 'installing' }),
    panelServer({ identifier: identifierOf('pull: restoring'), status: 'restoring_backup' }),
    panelServer({ identifier: identifierOf('pull: moved') }),
    panelServer({ identifier: identifierOf('pull: node refuses'), node: 3 }),
    panelServer({ identifier: identifierOf('pull: node accepts and never answers'), node: 3 }),
  ];
  panel.servers.set(
    1,
    servers.map((server) => ({ ...server, uuid: `${server.identifier}${server.uuid.slice(8)}` })),
  );
  const { conditions } = panel;
  conditions.serverLimits.add('pulls');
  conditions.maintainedNodes.add(2);
  conditions.deadNodes.add(3);
  conditions.transferring.add(identifierOf('pull: moved'));
  conditions.fullDisks.add(identifierOf('pull: the disk of the server is smaller'));
  panel.nodeScript.pull = sourcesOf(panel);
  const tree = new FileTree({ '/there.jar': 'before' });
  tree.makeDirectory('/dir', 0);
  tree.link('/link', 0);
  panel.files.set(main, tree);
  return panel;
}

const sourcesOf =
  ({ conditions }: StandInPanel) =>
  (tree: FileTree, path: string, url: string) => {
    const { origin, pathname, searchParams } = new URL(url);
    const bytes = Number(searchParams.get('n') ?? 100);
    const isRedirect = /redirect$/.test(pathname);
    const isWhole = ['/ok', '/slow'].includes(pathname) || (isRedirect && conditions.hasNewerNodes);
    if (origin !== 'https://files.example' || !(isWhole || pathname === '/drop')) return 'source failed';
    tree.write(path, 'x'.repeat(isWhole ? bytes : bytes / 2), 0);
    // The panel gives up on a source that takes 18 seconds.
    if (searchParams.get('parts') === '20') return 504;
    return isWhole ? null : 'source failed';
  };

/** Repeats the events on the panel before each recorded call. */
const before: Partial<Record<string, (panel: StandInPanel) => void>> = {
  'pull: the fourth at once': ({ conditions }) => conditions.pulls.set(main, 3),
  'pull: the eleventh in five minutes': ({ limitWindows, clock }) =>
    limitWindows.set('pulls', { endsAt: clock() + 298_000, used: 10 }),
  'newer node: pull, in the foreground': ({ conditions, files }) => {
    conditions.hasNewerNodes = true;
    const tree = files.get(main);
    if (tree) tree.denied = /^\/private\/|^\/secret\.cfg$/;
  },
};

describe('the emulated Pterodactyl with pulls of files', () => {
  const panel = useStarted(startRecordedPanel);
  itAnswersAsRecorded(calls, panel, (name) => {
    if (!name.includes('eleventh')) panel.limitWindows.clear();
    panel.conditions.pulls.clear();
    before[name]?.(panel);
  });
});
