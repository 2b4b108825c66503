/** The commands login, logout and whoami. */
import type { Command } from 'commander';
import { connectTo } from '../connection.ts';
import { notSignedIn, wrongUse } from './failures.ts';
import { type Host, readHostUrl } from './host.ts';
import { show } from './output.ts';
import { readPath } from './read-path.ts';
import { changeSignIns, readSignIns } from './sign-ins.ts';
import { ask, say } from './terminal.ts';

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
    .action((options) => showCredential(required(host), options));
}

function required(host: Host | null): Host {
  if (host) return host;
  throw notSignedIn('You are not signed in: run "gamehost login --url URL"');
}

async function logIn(options: { url?: string; key?: string }, host: Host | null): Promise<void> {
  if (options.key !== undefined && options.key !== '-')
    throw wrongUse(
      'A key is never an argument, which other programs can read: use "--key -", and write it to standard input',
    );
  const url = options.url === undefined ? host?.url : readHostUrl(options.url, '--url');
  if (url === undefined) throw wrongUse('Add --url with the address of the host, or set GAMEHOST_URL');
  const before = (await readSignIns()).hosts[url];
  const { signInByBrowser, revokeGrant } = await loadOAuth();
  const signIn = options.key === '-' ? { token: await readKey(url) } : await signInByBrowser(url);
  await changeSignIns((kept) => {
    kept.current = url;
    kept.hosts[url] = signIn;
  });
  say(`You are signed in to ${url}.`);
  if (before?.grant) await revokeGrant(before.grant).catch(() => {}); // its host may have ended it
  if (process.env['GAMEHOST_KEY']) say('Commands use the key in GAMEHOST_KEY as long as it is set.');
}

/** Resolves to a key that the host accepts. */
async function readKey(url: string): Promise<string> {
  const key = await ask(`API key for ${url}: `, { isHidden: true });
  if (!/^[\x21-\x7e]+$/.test(key)) throw wrongUse('Write one API key to standard input');
  await readPath(connectTo({ baseUrl: url, key }), '/key');
  return key;
}

async function logOut({ url }: Host): Promise<void> {
  const signIn = (await readSignIns()).hosts[url];
  if (!signIn) throw notSignedIn(`You are not signed in to ${url}`);
  await changeSignIns(({ hosts }) => {
    delete hosts[url];
  });
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
  scopes: string[];
}

async function showCredential({ url, connection }: Host, options: { json?: boolean }): Promise<void> {
  const { key } = (await readPath(connection, '/key')) as { key: Key };
  const canReadProfile = key.scopes.includes('read:account');
  const { user } = (canReadProfile ? await readPath(connection, '/me') : {}) as { user?: object };
  const kept = (await readSignIns()).hosts[url];
  const credential = process.env['GAMEHOST_KEY'] ? 'GAMEHOST_KEY' : kept?.grant ? 'browser' : 'key';
  show({ host: url, credential, user: user ?? null, key }, options);
}
