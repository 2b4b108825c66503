/** Starts the servers under test, each as a process of its own on the processor of the servers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../server/embedded/free-port.ts';

export const projectDir = fileURLToPath(new URL('../../', import.meta.url));

export interface ServerPlan {
  /** Program and arguments. */
  command: string[];
  settings: Record<string, string>;
}

export interface RunningServer {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

const startTimeoutMs = 30_000;

/** Resolves once the server answers; whatever it writes is shown. */
export async function startServer({ command, settings }: ServerPlan): Promise<RunningServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: projectDir,
    env: { PATH: process.env['PATH'], ...settings, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await firstAnswer(url, child);
  return { url, pid: child.pid ?? 0, stop: () => stop(child) };
}

/** Any answer will do. */
export async function firstAnswer(url: string, child: ChildProcess, everyMs = 20): Promise<void> {
  const giveUpAt = Date.now() + startTimeoutMs;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`);
    if (Date.now() > giveUpAt) throw new Error(`${child.spawnargs.join(' ')} does not answer`);
    await delay(everyMs);
  }
}

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), 5000);
  await closed;
  clearTimeout(kill);
}
