/** Creates a schedule: the panel then backs up one server every night. Run this program once. */
const { GAMEHOST_URL = 'http://127.0.0.1:3000', GAMEHOST_KEY, SERVER, CRON = '30 4 * * *' } = process.env;
const timeoutMs = 40_000;

async function scheduleBackups() {
  if (!GAMEHOST_KEY || !SERVER)
    throw new Error('Set GAMEHOST_KEY (manage:schedules, write:backups, manage:backups) and SERVER');
  const response = await fetch(`${GAMEHOST_URL}/api/v1/servers/${encodeURIComponent(SERVER)}/schedules`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${GAMEHOST_KEY}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
    },
    body: JSON.stringify({ name: 'Nightly backup', cron: CRON, tasks: [{ action: 'backup' }] }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status}: ${answer.error.message}`);
  const { id, next_run_at } = answer.schedule;
  console.log(`Schedule ${id} makes the first backup at ${next_run_at}`);
}

await scheduleBackups().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
