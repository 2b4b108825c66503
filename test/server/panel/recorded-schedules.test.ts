/** The emulated panel handles schedules and their runs like the recorded Pterodactyl 1.11: `recorded/schedules.jsonl`. */
import { panelBackup, panelSchedule, panelServer, panelTask } from '../../support/panel/attributes.ts';
import { startStandInPanel } from '../../support/stand-in-panel.ts';
import { useStarted } from '../../support/use-started.ts';
import { itAnswersAsRecorded, type RecordedCall, readRecording, type StandInPanel } from './recording.ts';

const calls: RecordedCall[] = readRecording('schedules');

const pathOf = (name: string) => {
  const call = calls.find((candidate) => candidate.name === name);
  if (!call) throw new Error(`nothing was recorded as ${name}`);
  return call.request.path.split('/');
};
const identifierOf = (name: string) => pathOf(name)[4] ?? '';

const main = identifierOf('schedules: none');
const off = identifierOf('run: command, server is off');
const withBackups = identifierOf('run: backup');
const limited = (backups: number) => ({ feature_limits: { databases: 0, allocations: 0, backups } });

async function startRecordedPanel() {
  const panel = await startStandInPanel();
  panel.servers.set(
    1,
    [
      panelServer({ identifier: main }),
      panelServer({ identifier: identifierOf('schedule: create at another server') }),
      panelServer({ identifier: identifierOf('run: command, server runs') }),
      panelServer({ identifier: off }),
      panelServer({ identifier: withBackups, ...limited(1) }),
      panelServer({
        identifier: identifierOf('task: backup where the limit of backups is 0'),
        ...limited(0),
      }),
      panelServer({ identifier: identifierOf('suspended: list'), suspended: true }),
      panelServer({ identifier: identifierOf('installing: list'), status: 'installing' }),
      panelServer({ identifier: identifierOf('restoring: list'), status: 'restoring_backup' }),
      panelServer({ identifier: identifierOf('moved: list') }),
      panelServer({ identifier: identifierOf('run: node refuses'), node: 2 }),
      panelServer({ identifier: identifierOf('run: node accepts and never answers'), node: 2 }),
    ].map((server) => ({ ...server, uuid: `${server.identifier}${server.uuid.slice(8)}` })),
  );
  panel.runStates.set(off, 'offline');
  panel.conditions.transferring.add(identifierOf('moved: list'));
  panel.conditions.deadNodes.add(2);
  panel.conditions.serverLimits.add('backups');
  // Earlier objects of other servers, so that the ids equal the recorded ones.
  panel.schedules.set('others00', [panelSchedule({ id: 228, tasks: [panelTask({ id: 283 })] })]);
  return panel;
}

type Tasks = Parameters<typeof panelTask>[0][];
const command = { action: 'command', payload: 'x' };
const power = (payload: string) => ({ action: 'power', payload });

/** The tasks that each schedule had on the panel before its run. */
const run: Record<string, { tasks: Tasks; only_when_online?: true }> = {
  'run: no tasks': { tasks: [] },
  'run: command, server runs': { tasks: [command, { ...command, time_offset: 4 }] },
  'run: command, server is off': { tasks: [command] },
  'run: command, server is off, goes on': { tasks: [{ ...command, continue_on_failure: true }] },
  'run: only when online, server is off': { tasks: [power('start')], only_when_online: true },
  'run: power with a signal that is none': { tasks: [power('dance')] },
  'run: power stop': { tasks: [power('stop')] },
  'run: backup': { tasks: [{}] },
  'run: backup at the limit of 1': { tasks: [{}] },
  'run: backup at the limit, all locked': { tasks: [{}] },
  'run: backup, second of ten minutes': { tasks: [{}] },
  'run: backup, third of ten minutes': { tasks: [{}] },
  'run: node refuses': { tasks: [power('start')] },
  'run: node accepts and never answers': { tasks: [power('start')] },
  'run: node refuses, only when online': { tasks: [power('start')], only_when_online: true },
};

const lock = ({ backups }: StandInPanel) => backups.set(withBackups, [panelBackup({ is_locked: true })]);

/** Repeats other events on the panel before each recorded call. */
const before: Partial<Record<string, (panel: StandInPanel) => void>> = {
  'run: backup at the limit, all locked': (panel) => {
    lock(panel);
    panel.limitWindows.clear();
  },
  'run: backup, second of ten minutes': ({ limitWindows, clock }) =>
    limitWindows.set(`backups ${withBackups}`, { endsAt: clock() + 598_000, used: 2 }),
  'maintenance: list': ({ conditions }) => conditions.maintainedNodes.add(1),
  'schedule: delete': ({ conditions }) => conditions.maintainedNodes.clear(),
};

function prepare(name: string, panel: StandInPanel) {
  before[name]?.(panel);
  const { tasks, ...flags } = run[name] ?? {};
  if (!tasks) return;
  const [identifier = '', id] = [identifierOf(name), Number(pathOf(name)[6])];
  const schedule = panelSchedule({ id, ...flags, tasks: tasks.map(panelTask) });
  panel.schedules.set(identifier, [...(panel.schedules.get(identifier) ?? []), schedule]);
}

describe('the emulated Pterodactyl with schedules', () => {
  const panel = useStarted(startRecordedPanel);
  itAnswersAsRecorded(calls, panel, (name) => prepare(name, panel));
});
