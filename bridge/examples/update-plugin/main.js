/** Updates a plugin of one server to its newest version on Modrinth, and restarts the server. */
const {
  GAMEHOST_URL = 'http://127.0.0.1:3000',
  GAMEHOST_KEY,
  SERVER,
  PROJECT,
  LOADER = 'paper',
  GAME_VERSION,
  FILE = `/plugins/${PROJECT}.jar`,
  MODRINTH_URL = 'https://api.modrinth.com',
} = process.env;
/** The service may take 45 seconds to fetch the file. */
const timeoutMs = 60_000;

const request = (url, options) =>
  fetch(url, { ...options, signal: AbortSignal.timeout(timeoutMs) }).catch((error) => {
    throw new Error(`${new URL(url).origin} does not answer: ${error.cause?.code ?? error.message}`);
  });

async function send(path, body) {
  const response = await request(`${GAMEHOST_URL}/api/v1/servers/${encodeURIComponent(SERVER)}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${GAMEHOST_KEY}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`POST ${path}: ${response.status}: ${answer.error.message}`);
  return answer;
}

/** Modrinth lists the newest version first. */
async function newestVersion() {
  const query = new URLSearchParams({ loaders: JSON.stringify([LOADER]) });
  if (GAME_VERSION) query.set('game_versions', JSON.stringify([GAME_VERSION]));
  const response = await request(
    `${MODRINTH_URL}/v2/project/${encodeURIComponent(PROJECT)}/version?${query}`,
    {
      headers: { 'User-Agent': 'gamehost-update-plugin/1.0.0' },
    },
  );
  if (!response.ok) throw new Error(`Modrinth: ${response.status} for ${PROJECT}`);
  const release = (await response.json()).find(({ version_type }) => version_type === 'release');
  if (!release) throw new Error(`Modrinth has no release of ${PROJECT} for ${LOADER} ${GAME_VERSION ?? ''}`);
  return release;
}

async function update() {
  if (!GAMEHOST_KEY || !SERVER || !PROJECT)
    throw new Error(
      "Set GAMEHOST_KEY (write:files, write:servers), SERVER, and PROJECT to the plugin's name on Modrinth",
    );
  const { version_number, files } = await newestVersion();
  const { url, hashes } = files.find(({ primary }) => primary) ?? files[0];
  const { file } = await send('/files/fetch', { url, file: FILE, sha512: hashes.sha512, replace: true });
  console.log(`Fetched ${PROJECT} ${version_number} to ${file.path}: ${file.bytes} bytes`);
  await send('/power', { signal: 'restart' });
  console.log('Restarting');
}

await update().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
