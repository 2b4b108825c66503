/** Creates a schedule: the panel then backs up one server every night. A second run finds the schedule, and creates none. */
const { GAMEHOST_URL = 'http://127.0.0.1:3000', GAMEHOST_KEY, SERVER, CRON = '30 4 * * *' } = process.env;
const timeoutMs = 40_000;
const name = 'Nightly backup';

async function call(method, body) {
  const response = await fetch(`${GAMEHOST_URL}/api/v1/servers/${encodeURIComponent(SERVER)}/schedules`, {
    method,
    headers: {
      Authorization: `Bearer ${GAMEHOST_KEY}`,
      ...(body && { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() }),
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status}: ${answer.error.message}`);
  return answer;
}

async function scheduleBackups() {
  if (!GAMEHOST_KEY || !SERVER)
    throw new Error(
      'Set GAMEHOST_KEY (read:account, manage:schedules, write:backups, manage:backups) and SERVER',
    );
  const { schedules } = await call('GET');
  const existing = schedules.find((schedule) => schedule.name === name);
  if (existing) {
    const next = existing.is_active ? `its next run is at ${existing.next_run_at}` : 'it is off';
    console.log(`Schedule ${existing.id} exists already: ${next}`);
    return;
  }
  const { schedule } = await call('POST', { name, cron: CRON, tasks: [{ action: 'backup' }] });
  console.log(`Schedule ${schedule.id} makes the first backup at ${schedule.next_run_at}`);
}

await scheduleBackups().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
