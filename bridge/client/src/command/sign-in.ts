/** The commands login, logout and whoami. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { connectTo } from '../connection.ts';
import { type Connection, send } from '../send.ts';
import { NotSignedInError, UsageError } from './failures.ts';
import { type Host, readHostUrl } from './host.ts';
import { forgetSignIn, keepSignIn, readSignIns } from './sign-ins.ts';
import { print, say } from './terminal.ts';

export function addSignIn(program: Command, host: Host | null): void {
  program
    .command('login')
    .description('Sign in to a host with your browser, or with an API key.')
    .option('--url <url>', 'the address of the host (default: GAMEHOST_URL, or the last one)')
    .option('--key <->', 'read an API key from standard input: --key -')
    .action((options) => logIn(options, host));
  program
    .command('logout')
    .description('End the sign-in to the host, and forget it.')
    .action(() => logOut(required(host)));
  program
    .command('whoami')
    .description('Show the host, the person and the credential that commands use.')
    .option('--json', 'print JSON')
    .action(({ json }) => showCredential(required(host), json || !process.stdout.isTTY));
}

function required(host: Host | null): Host {
  if (host) return host;
  throw new NotSignedInError('You are not signed in: run "gamehost login --url URL"');
}

async function logIn(options: { url?: string; key?: string }, host: Host | null): Promise<void> {
  if (options.key !== undefined && options.key !== '-')
    throw new UsageError(
      'A key is never an argument, which other programs can read: use "--key -", and write it to standard input',
    );
  const url = options.url === undefined ? host?.url : readHostUrl(options.url, '--url');
  if (url === undefined) throw new UsageError('Add --url with the address of the host, or set GAMEHOST_URL');
  const before = (await readSignIns()).hosts[url];
  const { signInByBrowser, revokeGrant } = await loadOAuth();
  await keepSignIn(url, options.key === '-' ? { token: await readKey(url) } : await signInByBrowser(url));
  say(`You are signed in to ${url}.`);
  if (before?.grant) await revokeGrant(before.grant).catch(() => {}); // its host may have ended it
  if (process.env['GAMEHOST_KEY']) say('Commands use the key in GAMEHOST_KEY as long as it is set.');
}

/** Resolves to a key that the host accepts. */
async function readKey(url: string): Promise<string> {
  const key = await readLine(`API key for ${url}: `);
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('Write one API key to standard input');
  await read(connectTo({ baseUrl: url, key }), '/key');
  return key;
}

/** A terminal shows the prompt, but not what the user types, which readline would write to its output. */
async function readLine(prompt: string): Promise<string> {
  const { stdin: input, stderr } = process;
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: input.isTTY });
  lines.once('SIGINT', () => process.emit('SIGINT'));
  if (input.isTTY) stderr.write(prompt);
  const { value = '' } = await lines[Symbol.asyncIterator]().next();
  lines.close();
  if (input.isTTY) stderr.write('\n');
  return value.trim();
}

async function logOut({ url }: Host): Promise<void> {
  const signIn = (await readSignIns()).hosts[url];
  if (!signIn) throw new NotSignedInError(`You are not signed in to ${url}`);
  await forgetSignIn(url);
  if (!signIn.grant)
    return say(`The key is forgotten here. It stays valid: revoke it at ${url}/account#keys`);
  const { revokeGrant } = await loadOAuth();
  await revokeGrant(signIn.grant).then(
    () => say(`You are signed out of ${url}.`),
    ({ message }) =>
      say(`The sign-in is forgotten here, but not ended: ${message}. End it at ${url}/account#apps`),
  );
}

/** Loaded only where it is needed, so that other commands start faster. */
const loadOAuth = () => import('./oauth.ts');

interface Key {
  name: string;
  scopes: string[];
  expires_at: string | null;
}

async function showCredential({ url, connection }: Host, isJson: boolean): Promise<void> {
  const { key } = (await read(connection, '/key')) as { key: Key };
  const canReadProfile = key.scopes.includes('read:account');
  const { user } = (canReadProfile ? await read(connection, '/me') : {}) as { user?: { email: string } };
  const kept = (await readSignIns()).hosts[url];
  const credential = process.env['GAMEHOST_KEY'] ? 'GAMEHOST_KEY' : kept?.grant ? 'browser' : 'key';
  const shown = { host: url, credential, user: user ?? null, key };
  if (isJson) return print(JSON.stringify(shown));
  const fields = {
    Host: url,
    Person: user?.email ?? 'not shown to this credential',
    Credential: `${key.name} (${credential})`,
    Scopes: key.scopes.join(' '),
    Expires: key.expires_at === null ? 'never' : new Date(key.expires_at).toLocaleString(),
  };
  for (const [name, value] of Object.entries(fields)) print(`${name.padEnd(12)}${value}`);
}

const read = (connection: Connection, path: string): Promise<unknown> =>
  send(connection, {
    operation: {
      ...{ name: path, group: '', method: 'GET', path, query: [], headers: [] },
      ...{ isIdempotent: false, pagination: null },
    },
  });
