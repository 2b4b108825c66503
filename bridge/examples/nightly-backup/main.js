/** Makes a backup of one server and, once it is complete, deletes the oldest that earlier runs of this program made. */
const {
  GAMEHOST_URL = 'http://127.0.0.1:3000',
  GAMEHOST_KEY,
  SERVER,
  KEEP = '3',
  WAIT_MINUTES = '60',
} = process.env;
const prefix = 'Nightly ';
const timeoutMs = 40_000;

/** One call; a refusal becomes an Error with the API's own words. */
async function call(method, path, body) {
  const response = await fetch(
    `${GAMEHOST_URL}/api/v1/servers/${encodeURIComponent(SERVER)}/backups${path}`,
    {
      method,
      headers: {
        Authorization: `Bearer ${GAMEHOST_KEY}`,
        ...(body && { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    },
  );
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path || '/'}: ${response.status}: ${answer.error.message}`);
  return answer;
}

/** Waits for the end of a backup; each call waits for up to 25 seconds by itself. */
async function completed(uuid) {
  const endsAt = Date.now() + Number(WAIT_MINUTES) * 60_000;
  while (Date.now() < endsAt) {
    const { backup } = await call('GET', `/${uuid}?wait=25`);
    if (backup.completed_at) return backup;
  }
  throw new Error(`The backup ${uuid} is not complete after ${WAIT_MINUTES} minutes`);
}

const isOurs = ({ name, is_locked, completed_at }) => name.startsWith(prefix) && completed_at && !is_locked;

/** Deletes the oldest of our backups until `count` are left. */
async function keepNewest(count) {
  const { backups } = await call('GET', '');
  const ours = backups.filter(isOurs).sort((a, b) => b.created_at.localeCompare(a.created_at));
  for (const { uuid, name } of ours.slice(count)) {
    await call('DELETE', `/${uuid}`);
    console.log(`Deleted ${name}`);
  }
}

/** Where the server may have no more backups, the oldest of ours makes room; otherwise nothing is deleted before the new one is good. */
async function makeRoom() {
  const { summary } = await call('GET', '');
  if (summary.limit !== null && summary.total >= summary.limit) await keepNewest(Number(KEEP) - 1);
}

async function backUp() {
  if (!GAMEHOST_KEY || !SERVER)
    throw new Error('Set GAMEHOST_KEY (read:account, write:backups, manage:backups) and SERVER');
  if (!/^[1-9][0-9]*$/.test(KEEP)) throw new Error('KEEP is how many backups are kept: 1 or more');
  await makeRoom();
  const { backup } = await call('POST', '', { name: `${prefix}${new Date().toISOString().slice(0, 16)}` });
  console.log(`Started ${backup.name}`);
  const { is_successful, bytes } = await completed(backup.uuid);
  if (!is_successful) throw new Error(`${backup.name} failed; the older backups are kept`);
  console.log(`Completed ${backup.name}: ${bytes} bytes`);
  await keepNewest(Number(KEEP));
}

await backUp().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
