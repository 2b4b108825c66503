/** Updates a plugin of one server to its newest version on Modrinth, and restarts the server. */
import { Gamehost } from 'gamehost';

const {
  GAMEHOST_KEY,
  SERVER: server_identifier,
  PROJECT,
  LOADER = 'paper',
  GAME_VERSION,
  FILE = `/plugins/${PROJECT}.jar`,
  MODRINTH_URL = 'https://api.modrinth.com',
} = process.env;
/** The service may take 45 seconds to fetch the file. */
const timeoutMs = 60_000;

/** Modrinth lists the newest version first. */
async function newestVersion() {
  const query = new URLSearchParams({ loaders: JSON.stringify([LOADER]) });
  if (GAME_VERSION) query.set('game_versions', JSON.stringify([GAME_VERSION]));
  const url = `${MODRINTH_URL}/v2/project/${encodeURIComponent(PROJECT)}/version?${query}`;
  const headers = { 'User-Agent': 'gamehost-update-plugin/1.0.0' };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) }).catch((error) => {
    throw new Error(`${MODRINTH_URL} does not answer: ${error.cause?.code ?? error.message}`);
  });
  if (!response.ok) throw new Error(`Modrinth: ${response.status} for ${PROJECT}`);
  const release = (await response.json()).find(({ version_type }) => version_type === 'release');
  if (!release) throw new Error(`Modrinth has no release of ${PROJECT} for ${LOADER} ${GAME_VERSION ?? ''}`);
  return release;
}

async function update() {
  if (!GAMEHOST_KEY || !server_identifier || !PROJECT)
    throw new Error(
      "Set GAMEHOST_KEY (write:files, write:servers), SERVER, and PROJECT to the plugin's name on Modrinth",
    );
  const { version_number, files } = await newestVersion();
  const { url, hashes } = files.find(({ primary }) => primary) ?? files[0];
  const gamehost = new Gamehost({ timeoutMs });
  const input = { server_identifier, url, file: FILE, sha512: hashes.sha512, replace: true };
  const { file } = await gamehost.files.fetchServerFile(input);
  console.log(`Fetched ${PROJECT} ${version_number} to ${file.path}: ${file.bytes} bytes`);
  await gamehost.servers.setServerPower({ server_identifier, signal: 'restart' });
  console.log('Restarting');
}

await update().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
