/**
 * A Discord bot: /server state, /server restart and /server ticket, and the number of players as its presence. Discord sends
 * commands to this program over HTTP. The program sends its presence over a WebSocket.
 */
import { createPublicKey, verify } from 'node:crypto';
import { createServer } from 'node:http';
import { Gamehost } from 'gamehost';

const { GAMEHOST_KEY, SERVER: server_identifier, PORT = '8081' } = process.env;
const { DISCORD_API_URL = 'https://discord.com/api/v10', DISCORD_TOKEN } = process.env;
const timeoutMs = 15_000;
const bodyBytesMax = 64 * 1024;
const presenceMs = 60_000;
/** Long enough for Discord's limit of 1000 connections a day. */
const reconnectMs = 120_000;
const opcodes = { heartbeat: 1, identify: 2, presence: 3, hello: 10 };
const types = { ping: 1, pong: 1, deferred: 5, subcommand: 1, text: 3, watching: 3 };
/** Only the user of the command sees the response. */
const ephemeral = 64;
/** The permission "Manage Server", which a member needs to use the command. The server's owner can allow others. */
const manageServer = '32';

const gamehost = new Gamehost({ timeoutMs });

async function discord(path, { method = 'GET', body } = {}) {
  const authorization = `Bot ${DISCORD_TOKEN}`;
  const headers = { Authorization: authorization, ...(body && { 'Content-Type': 'application/json' }) };
  const options = { method, headers, body: body && JSON.stringify(body) };
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(DISCORD_API_URL + path, { ...options, signal }).catch((error) => {
    throw new Error(`${DISCORD_API_URL} does not answer: ${error.cause?.code ?? error.message}`);
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return text && JSON.parse(text);
}

/** Each result is the message that the user sees. */
const commands = {
  async state() {
    const { resources } = await gamehost.servers.getServerResources({ server_identifier });
    const { state, reason, cpu_percent, memory_bytes } = resources;
    if (state !== 'running') return `The server is ${state}${reason ? `: ${reason}` : ''}`;
    return `The server is running: ${Math.round(cpu_percent)} % CPU, ${Math.round(memory_bytes / 2 ** 20)} MiB`;
  },
  async restart() {
    await gamehost.servers.setServerPower({ server_identifier, signal: 'restart' });
    return 'The server is restarting';
  },
  async ticket({ text }) {
    const [title] = text.trim().split('\n', 1);
    const input = { title: title.slice(0, 100), message: text, service_reference: server_identifier };
    const { ticket } = await gamehost.tickets.createTicket(input);
    return `Ticket ${ticket.id} is open`;
  },
};

const definition = {
  name: 'server',
  description: 'The game server',
  default_member_permissions: manageServer,
  options: [
    { type: types.subcommand, name: 'state', description: 'Is it running?' },
    { type: types.subcommand, name: 'restart', description: 'Restart it; players are disconnected' },
    {
      ...{ type: types.subcommand, name: 'ticket', description: 'Ask support' },
      options: [
        { type: types.text, name: 'text', description: 'What is wrong', required: true, max_length: 1000 },
      ],
    },
  ],
};

/** Discord waits only three seconds for a response, so the result follows in a second request. */
async function respondLater({ application_id, token, data }) {
  const [{ name, options = [] }] = data.options;
  const fields = Object.fromEntries(options.map((option) => [option.name, option.value]));
  const content = await commands[name](fields).catch((error) => `That failed: ${error.message}`);
  const body = { content: content.slice(0, 2000), allowed_mentions: { parse: [] } };
  await discord(`/webhooks/${application_id}/${token}/messages/@original`, { method: 'PATCH', body });
}

function respond(interaction) {
  if (interaction.type === types.ping) return { type: types.pong };
  respondLater(interaction).catch((error) => console.error(error.message));
  return { type: types.deferred, data: { flags: ephemeral } };
}

async function readBody(req) {
  let body = Buffer.alloc(0);
  for await (const chunk of req) {
    body = Buffer.concat([body, chunk]);
    if (body.length > bodyBytesMax) throw new Error('The body is too large');
  }
  return body;
}

function isSigned({ headers }, [body, publicKey]) {
  const signed = Buffer.concat([Buffer.from(String(headers['x-signature-timestamp'])), body]);
  return verify(null, signed, publicKey, Buffer.from(String(headers['x-signature-ed25519']), 'hex'));
}

async function readPresence() {
  const { players } = await gamehost.servers.getServerPlayers({ server_identifier }).catch((error) => {
    console.error(`The players could not be read: ${error.message}`);
    return { players: { online: null } };
  });
  const base = { since: null, afk: false };
  if (players.online === null) return { ...base, status: 'idle', activities: [] };
  const name = `${players.online}${players.max === null ? '' : ` of ${players.max}`} players`;
  return { ...base, status: 'online', activities: [{ name, type: types.watching }] };
}

function showPresence(gateway) {
  const socket = new WebSocket(`${gateway}?v=10&encoding=json`);
  const timers = [];
  let sequence = null;
  const send = (op, d) => socket.send(JSON.stringify({ op, d }));
  const beat = () => send(opcodes.heartbeat, sequence);
  socket.addEventListener('message', async ({ data }) => {
    const { op, s, d } = JSON.parse(data);
    sequence = s ?? sequence;
    if (op === opcodes.heartbeat) beat();
    if (op !== opcodes.hello) return;
    timers.push(setInterval(beat, d.heartbeat_interval));
    const properties = { os: process.platform, browser: 'gamehost', device: 'gamehost' };
    const presence = await readPresence();
    send(opcodes.identify, { token: DISCORD_TOKEN, intents: 0, properties, presence });
    timers.push(setInterval(async () => send(opcodes.presence, await readPresence()), presenceMs));
  });
  socket.addEventListener('error', () => console.error('The connection to Discord failed'));
  socket.addEventListener('close', () => {
    for (const timer of timers) clearInterval(timer);
    setTimeout(showPresence, reconnectMs, gateway);
  });
}

async function start() {
  if (!GAMEHOST_KEY || !server_identifier || !DISCORD_TOKEN)
    throw new Error('Set GAMEHOST_KEY, SERVER and DISCORD_TOKEN');
  const application = await discord('/applications/@me');
  await discord(`/applications/${application.id}/commands`, { method: 'PUT', body: [definition] });
  const x = Buffer.from(application.verify_key, 'hex').toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

  const server = createServer(async (req, res) => {
    try {
      const body = await readBody(req);
      if (!isSigned(req, [body, publicKey])) return res.writeHead(401).end('The signature is wrong');
      res.writeHead(200, { 'Content-Type': 'application/json' });
      res.end(JSON.stringify(respond(JSON.parse(body.toString()))));
    } catch (error) {
      res.writeHead(400).end(error.message);
    }
  });
  showPresence((await discord('/gateway/bot')).url);
  server.listen(Number(PORT), () => console.log(`Listening at http://127.0.0.1:${server.address().port}/`));
}

await start().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
