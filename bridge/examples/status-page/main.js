/**
 * A public status page: which of the owner's servers are running, and how many people play. All visitors together cause at
 * most one call every 20 seconds.
 */
import { createServer } from 'node:http';
import { Gamehost } from 'gamehost';

const { GAMEHOST_KEY, PORT = '8080' } = process.env;
const keepMs = 20_000;
if (!GAMEHOST_KEY) {
  console.error('Set GAMEHOST_KEY to a key with the scope read:account');
  process.exit(1);
}
const gamehost = new Gamehost({ retries: 0, timeoutMs: 15_000 });

async function readStates() {
  const states = [];
  const pages = gamehost.paginate(gamehost.servers.listServerStates, { figures: true });
  for await (const state of pages) states.push(state);
  return states;
}

let known = null;
let reading = null;

/** Returns the newest states. If they cannot be read, returns the last ones that could be, or null. */
async function latestStates() {
  if (known && Date.now() - known.readAt < keepMs) return known;
  reading ??= readStates()
    .then((states) => {
      known = { states, readAt: Date.now() };
    })
    .catch((error) => console.error(`The states could not be read: ${error.message}`))
    .finally(() => {
      reading = null;
    });
  await reading;
  return known;
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => entities[character]);

const playersOf = ({ players_online: online, players_max: max }) =>
  online === null ? '' : `, ${online}${max === null ? '' : ` of ${max}`} players`;

const row = (server) => {
  const { name, state, reason } = server;
  const text = `${reason ?? state}${playersOf(server)}`;
  return `<li class="${escapeHtml(state)}"><b>${escapeHtml(name)}</b> ${escapeHtml(text)}</li>`;
};

const page = ({ states, readAt }) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="30">
<title>Server status</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui; }
  body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
  ul { padding: 0; list-style: none; }
  li::before { content: "○ "; }
  .running::before { content: "● "; color: green; }
</style>
<h1>Server status</h1>
<p>${states.filter(({ state }) => state === 'running').length} of ${states.length} servers are running.</p>
<ul>${states.map(row).join('\n')}</ul>
<p><small>Read at <time>${new Date(readAt).toISOString()}</time></small></p>
</html>
`;

const server = createServer(async (req, res) => {
  if (req.url !== '/') return res.writeHead(404).end('Not found');
  const latest = await latestStates();
  if (!latest)
    return res.writeHead(503, { 'Retry-After': '20' }).end('The status is unknown. Retry in 20 seconds');
  res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'public, max-age=20' });
  res.end(page(latest));
});

server.listen(Number(PORT), () =>
  console.log(`The status page is at http://127.0.0.1:${server.address().port}/`),
);
