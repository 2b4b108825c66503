/** Repairs a server that is off because of a wrong setting: corrects the line that its log names, and opens a ticket. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const {
  GAMEHOST_URL = 'http://127.0.0.1:3000',
  GAMEHOST_KEY,
  SERVER,
  LOG = '/logs/latest.log',
  WAIT_MINUTES = '60',
} = process.env;
const server_identifier = SERVER;
const logLines = 50;
const pauseMs = 2_000;

const client = new Client({ name: 'gamehost-repair-agent', version: '1.0.0' });

async function call(name, args = {}) {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
  if (isError) throw new Error(`${name}: ${content[0].text}`);
  return structuredContent;
}

const once = () => ({ idempotency_key: crypto.randomUUID() });

const numbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/**
 * Derives the change from the log. Returns null if the log names none. Replace this function with a language model.
 * @returns {{file: string, line: number, setting: string, min: number, max: number} | null}
 */
function decide(log) {
  const found = /(\S+\.\w+), line (\d+): (\w+) must be a number from (\d+) to (\d+)/.exec(log);
  if (!found) return null;
  const [, path, line, setting, min, max] = found;
  const file = path.startsWith('/') ? path : `/${path}`;
  return { file, line: Number(line), setting, min: Number(min), max: Number(max) };
}

/** Corrects one setting. Returns null if the line does not have the setting that the log names. */
function correct(text, { line, setting, min, max }) {
  const lines = text.split('\n');
  const was = lines[line - 1] ?? '';
  const [, before, name, value] = /^(\s*(\w+)\s*[:=]\s*)(.*)$/.exec(was) ?? [];
  if (name !== setting) return null;
  const meant = Number.parseInt(value, 10) || numbers.indexOf(value.trim().toLowerCase());
  const is = before + Math.min(Math.max(meant, min), max);
  lines[line - 1] = is;
  return { content: lines.join('\n'), was: was.trim(), is: is.trim() };
}

/** Each call for the backup waits up to 25 seconds. */
async function backUp() {
  const started = await call('create_server_backup', {
    server_identifier,
    name: 'Before a repair',
    ...once(),
  });
  const endsAt = Date.now() + Number(WAIT_MINUTES) * 60_000;
  const waiting = { server_identifier, backup_uuid: started.backup.uuid, wait: 25 };
  for (;;) {
    const { backup } = await call('get_server_backup', waiting);
    if (backup.completed_at && !backup.is_successful)
      throw new Error('The backup failed: nothing was changed');
    if (backup.completed_at) return backup;
    if (Date.now() > endsAt) throw new Error('The backup is not complete yet: nothing was changed');
  }
}

async function start() {
  await call('set_server_power', { server_identifier, signal: 'start', ...once() });
  for (let tries = 0; tries < 30; tries += 1) {
    const { resources } = await call('get_server_resources', { server_identifier });
    if (resources.state === 'running') return;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error('The server did not start');
}

async function tellSupport(title, message) {
  const { tickets } = await call('list_my_tickets', { limit: 100 });
  const open = tickets.find(
    ({ service_reference, status }) => service_reference === SERVER && ['New', 'Active'].includes(status),
  );
  if (open) await call('reply_to_ticket', { ticket_id: open.id, message, ...once() });
  const { id } =
    open ?? (await call('create_ticket', { title, message, service_reference: SERVER, ...once() })).ticket;
  console.log(`Ticket ${id}: ${message}`);
}

/** @returns a report for support, or null if there is no certain repair */
async function repair(log) {
  const problem = decide(log);
  if (!problem) return null;
  const { file } = await call('read_server_file', { server_identifier, file: problem.file });
  const fixed = file.sha256 && !file.truncated ? correct(file.content, problem) : null;
  if (!fixed) return null;
  const { uuid } = await backUp();
  const write = { server_identifier, file: problem.file, content: fixed.content, if_sha256: file.sha256 };
  await call('write_server_file', { ...write, ...once() });
  await start();
  return `Line ${problem.line} of ${problem.file} was "${fixed.was}" and is now "${fixed.is}". The server is running. The backup ${uuid} has the original file.`;
}

async function main() {
  if (!GAMEHOST_KEY || !SERVER) throw new Error('Set GAMEHOST_KEY (the scopes are in README.md) and SERVER');
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${GAMEHOST_URL}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${GAMEHOST_KEY}` } },
    }),
  );
  const { resources } = await call('get_server_resources', { server_identifier });
  if (resources.state !== 'offline')
    return console.log(`The server is ${resources.state}: nothing to repair`);
  const { file } = await call('read_server_file', { server_identifier, file: LOG, tail: logLines });
  const done = await repair(file.content);
  if (done) return tellSupport('A setting was corrected', done);
  return tellSupport('The server is off', `The end of its log:\n${file.content.slice(-4_000)}`);
}

await main()
  .catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  })
  .finally(() => client.close());
