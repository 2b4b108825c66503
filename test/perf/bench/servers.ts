/** Starts the servers under test, each as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../../server/dev/free-port.ts';

export const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

export interface ServerPlan {
  /** Program and arguments. */
  command: string[];
  settings: Record<string, string>;
  /** The request whose answer says that it is up; every server has some answer to the usual one. */
  knock?: { path: string; headers?: Record<string, string> };
}

export interface RunningServer {
  url: string;
  pid: number;
  /** From the start of the process to its first answer, and the status of that. */
  startMs: number;
  firstStatus: number;
  stop(): Promise<void>;
}

const knockEveryMs = 5;
/** Long: on a busy machine several servers start from source on one core. */
const giveUpAfterMs = 120_000;

/** Resolves once the server answers; what it complains of is shown. */
export async function startServer({ command, settings, knock }: ServerPlan): Promise<RunningServer> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const { path, headers = {} } = knock ?? { path: '/api/v1/openapi.json' };
  const [program = '', ...args] = command;
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: projectDir,
    env: { PATH: process.env['PATH'], ...settings, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const firstStatus = await firstAnswer(child, () => fetch(url + path, { headers }));
  const startMs = performance.now() - startedAt;
  return { url, pid: child.pid ?? 0, startMs, firstStatus, stop: () => stop(child) };
}

async function firstAnswer(child: ChildProcess, ask: () => Promise<Response>): Promise<number> {
  const giveUpAt = performance.now() + giveUpAfterMs;
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer) return answer.status;
    const command = child.spawnargs.join(' ');
    const ending = child.exitCode ?? child.signalCode;
    if (ending !== null) throw new Error(`${command} ended with ${ending}`);
    if (performance.now() > giveUpAt) throw new Error(`${command} gave no answer in ${giveUpAfterMs} ms`);
    await delay(knockEveryMs);
  }
}

const killAfterMs = 5000;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await closed;
  clearTimeout(kill);
}
