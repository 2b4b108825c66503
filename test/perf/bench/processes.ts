/** The measured processes, each pinned to its own processor, and the CPU time that they have used. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { findFreePort } from '../../../server/embedded-database/free-port.ts';

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

const outdir = join(projectDir, '.cache/bench');

/** Compiled, as tsx would make each of their functions slower. */
export async function buildPeers(): Promise<void> {
  await build({
    entryPoints: ['native-driver', 'own-models'].map((name) =>
      join(projectDir, `test/perf/bench/peers/${name}.ts`),
    ),
    ...{ outdir, outExtension: { '.js': '.mjs' }, logLevel: 'warning' },
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm' },
  });
}

/** Idle while others are measured: V8 must keep its compiled code and its heap size until the next turn. */
export const peerCommand = (name: string) => [
  ...[process.execPath, '--enable-source-maps', '--no-memory-reducer', '--min-semi-space-size=16'],
  join(outdir, `${name}.mjs`),
];

/** Gives the last processors to this process and its children, and the first to the servers. */
export function divideProcessors(): string {
  const count = availableParallelism();
  if (count < 2) return 'one processor for all';
  execFileSync('taskset', ['-cp', `1-${count - 1}`, String(process.pid)]);
  return 'servers on processor 0, load and MongoDB on the others';
}

export interface Server {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

const giveUpAfterMs = 120_000;

/** Resolves once the server answers; prints its errors. */
export async function startServer(command: string[], settings: Record<string, string>): Promise<Server> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const pinned = availableParallelism() < 2 ? [] : ['taskset', '-c', '0'];
  const [program = '', ...others] = [...pinned, ...command];
  const child = spawn(program, others, {
    cwd: projectDir,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      NODE_ENV: 'production',
      ...settings,
      PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const giveUp = AbortSignal.timeout(giveUpAfterMs);
  while (!(await fetch(`${url}/api/v1/me`).catch(() => null))) {
    giveUp.throwIfAborted();
    if (child.exitCode !== null) throw new Error(`${command.at(-1)} ended with ${child.exitCode}`);
    await delay(50);
  }
  return { url, pid: child.pid ?? 0, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

/** CPU time of all threads, from the scheduler's own count: /proc/PID/stat has only hundredths of a second. */
export const cpuMicroseconds = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((total, nanoseconds) => total + nanoseconds / 1000, 0);
