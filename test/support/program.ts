/** The service as its own process, started like `npm start`, with its own data directory and a free port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { builtPrograms } from './built-programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Settings of the machine the tests run on must not leak into the program under test. */
const inherited = ['PATH', 'HOME', 'MONGOMS_SYSTEM_BINARY'];

const deadlineMs = 120_000;

export type TestProgram = Awaited<ReturnType<typeof startProgram>>;

/** Starts the program; resolves once it reports that it is up. `command` runs in a shell; without it, the built service runs. */
export async function startProgram(settings: Record<string, string>, command?: string) {
  const kept = inherited.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  const env = { ...Object.fromEntries(kept), PORT: '0', LOG_LEVEL: 'warn', ...settings };
  const child = spawn('/bin/sh', ['-c', command ?? `exec node ${await builtPrograms()}main.js`], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const hear = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const closed = once(child, 'close');
  const give = AbortSignal.timeout(deadlineMs);
  while (!output.includes('gamehost is up')) {
    if (child.exitCode !== null) throw new Error(`the program ended: ${output}`);
    await Promise.race([once(child.stdout, 'data', { signal: give }), closed]);
  }
  return {
    pid: child.pid ?? 0,
    url: /API +(http\S+)\/api\/v1/.exec(output)?.[1] ?? '',
    key: /Key +(gamehost_live_\w+)/.exec(output)?.[1] ?? null,
    output: () => output,
    /** Resolves once the program prints something new. */
    async says(text: string): Promise<void> {
      const from = output.length;
      while (!output.slice(from).includes(text)) await once(child.stdout, 'data');
    },
    /** Resolves with the exit code when the program ends by itself. */
    end: async () => Number((await closed)[0]),
    /** Sends a signal; resolves to the exit code once all output has arrived. */
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
      child.kill(signal);
      const [code] = await closed;
      return code;
    },
  };
}

interface Ending {
  says: string;
  signal: NodeJS.Signals;
}

/** Runs the program to its end, for starts that fail, or that a signal ends after some output. */
export async function runProgram(settings: Record<string, string>, ending?: Ending) {
  const env = { PATH: process.env['PATH'], ...settings };
  const child = spawn(process.execPath, [`${await builtPrograms()}main.js`], { cwd: root, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      const isSaid = ending && output.includes(ending.says);
      output += chunk;
      if (ending && !isSaid && output.includes(ending.says)) child.kill(ending.signal);
    });
  const [code] = await once(child, 'close');
  return { code, output };
}
