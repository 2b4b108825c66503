/** The built command `gamehost`, with folders of its own in place of those of the user. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtClient } from './client.ts';
import { eventually } from './eventually.ts';
import { allow, sendUser } from './oauth-app.ts';

interface CommandRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  env?: NodeJS.ProcessEnv;
  stdin?: string;
  /** A program, with its arguments, that runs the command. */
  through?: string[];
}

/** For `through`: gives the command a terminal. */
export const aTerminal = [
  ...['python3', '-c'],
  'import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))',
];

type GamehostCommand = Awaited<ReturnType<typeof openGamehostCommand>>;

export async function openGamehostCommand() {
  const home = await mkdtemp(join(tmpdir(), 'gamehost-command-'));
  const visited = join(home, 'visited');
  const browser = join(home, 'browser');
  await writeFile(browser, `#!/bin/sh\nprintf '%s' "$1" > '${visited}'\n`, { mode: 0o755 });
  const program = `${await builtClient()}lib/command/main.js`;
  const { GAMEHOST_KEY: _key, GAMEHOST_URL: _url, ...inherited } = process.env;
  const folders = { XDG_CONFIG_HOME: join(home, 'config'), XDG_CACHE_HOME: join(home, 'cache') };
  await mkdir(folders.XDG_CONFIG_HOME);
  const start = (args: readonly string[], { env = {}, stdin, through = [] }: RunOptions = {}) => {
    const [file = '', ...rest] = [...through, process.execPath, program, ...args];
    const child = spawn(file, rest, {
      env: { ...inherited, ...folders, HOME: home, BROWSER: browser, ...env },
    });
    if (stdin !== undefined) child.stdin.end(stdin);
    return child;
  };
  return {
    configFolder: join(folders.XDG_CONFIG_HOME, 'gamehost'),
    signInsPath: join(folders.XDG_CONFIG_HOME, 'gamehost', 'sign-ins.json'),
    cacheFolder: join(folders.XDG_CACHE_HOME, 'gamehost'),
    start,
    run: (args: readonly string[], options?: RunOptions) => ended(start(args, { stdin: '', ...options })),
    /** Waits until the command has opened the browser; resolves to the address. */
    visitedAddress: () =>
      eventually(async () => {
        const address = await readFile(visited, 'utf8');
        await rm(visited);
        return address;
      }),
    stop: () => rm(home, { recursive: true, force: true }),
  };
}

export async function ended(child: ChildProcessWithoutNullStreams): Promise<CommandRun> {
  const output = { stdout: '', stderr: '' };
  // Listeners, which leave a test free to listen as well.
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** Signs in, and allows it at the account page; resolves to what the browser shows then, too. */
export async function signInByBrowser(
  command: GamehostCommand,
  service: { url: string },
  person: { email: string },
): Promise<CommandRun & { page: string }> {
  const run = ended(command.start(['login', '--url', service.url]));
  const { headers } = await allow(service, await sendUser(await command.visitedAddress()), person);
  const page = await (await fetch(headers.get('Location') ?? '')).text();
  return { ...(await run), page };
}
