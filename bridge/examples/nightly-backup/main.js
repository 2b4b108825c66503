/** Creates a schedule: the panel then backs up one server every night. A second run finds the schedule, and creates none. */
import { Gamehost } from 'gamehost';

const { GAMEHOST_KEY, SERVER: server_identifier, CRON: cron = '30 4 * * *' } = process.env;
const name = 'Nightly backup';

async function scheduleBackups() {
  if (!GAMEHOST_KEY || !server_identifier)
    throw new Error(
      'Set GAMEHOST_KEY (read:account, manage:schedules, write:backups, manage:backups) and SERVER',
    );
  const { servers } = new Gamehost();
  const { schedules } = await servers.listServerSchedules({ server_identifier });
  const existing = schedules.find((schedule) => schedule.name === name);
  if (existing) {
    const next = existing.is_active ? `its next run is at ${existing.next_run_at}` : 'it is off';
    console.log(`Schedule ${existing.id} exists already: ${next}`);
    return;
  }
  const tasks = [{ action: 'backup' }];
  const { schedule } = await servers.createServerSchedule({ server_identifier, name, cron, tasks });
  console.log(`Schedule ${schedule.id} makes the first backup at ${schedule.next_run_at}`);
}

await scheduleBackups().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
