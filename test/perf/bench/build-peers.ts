/** Compiles the peers to plain JavaScript, as our own service is, and says how each server is started. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { readStartArguments } from '../../support/start-command.ts';
import { peerNames, type ServerName } from './contenders.ts';
import type { Options } from './options.ts';
import { projectDir } from './servers.ts';

const outdir = join(projectDir, '.cache/bench');
const peersDir = join(projectDir, 'test/perf/bench/peers');

export async function buildPeers(): Promise<void> {
  await build({
    entryPoints: peerNames.map((name) => join(peersDir, `${name}.ts`)),
    ...{ outdir, outExtension: { '.js': '.mjs' } },
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20' },
    logLevel: 'warning',
  });
}

/** A process is idle while others are measured: V8 must keep its compiled code and its heap size until the next turn. */
const peerSettings = ['--enable-source-maps', '--no-memory-reducer', '--min-semi-space-size=16'];

/** Our own as npm start starts it, on a stubbed store too; the peers as Node is started everywhere, but for that. */
export function commandOf(server: ServerName): string[] {
  const startArguments = readStartArguments();
  if (server === 'ours') return [process.execPath, ...startArguments];
  const settings = server === 'stub-ours' ? startArguments.slice(0, -1) : peerSettings;
  return [process.execPath, ...settings, join(outdir, `${server}.mjs`)];
}

/** Variants: ours through tsx, for tests that must not depend on the last build; all of them under the profiler. */
export function specialCommandOf(server: ServerName, { fromSource, profile }: Specialities): string[] {
  const isSource = fromSource && server === 'ours';
  const [node = '', ...args] = isSource ? [process.execPath, ...tsx, 'server/main.ts'] : commandOf(server);
  return [node, ...(profile ? profilerArguments(server, resolve(profile)) : []), ...args];
}

const tsx = ['--import', 'tsx'];

/** A profile is written at an orderly end only, of which the peers know nothing. */
function profilerArguments(server: ServerName, dir: string): string[] {
  const name = `${server}-${Date.now()}.cpuprofile`;
  const ending = `data:text/javascript,process.once('SIGTERM',()=>process.exit())`;
  return [
    ...['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-name=${name}`],
    ...(server === 'ours' ? [] : ['--import', ending]),
  ];
}

type Specialities = Pick<Options, 'fromSource' | 'profile'>;

const trpcToMcp = 'trpc-to-mcp@1.3.2';

/**
 * Installs the one peer that is no dependency of ours: it asks for Next.js and more, of which it needs nothing here.
 * False when it cannot be had.
 */
export function installTrpcToMcp(): boolean {
  const prefix = join(outdir, 'installed');
  const isThere = () => existsSync(join(prefix, 'node_modules/trpc-to-mcp/package.json'));
  if (isThere()) return true;
  const args = [
    'install',
    trpcToMcp,
    '--prefix',
    prefix,
    '--no-save',
    '--legacy-peer-deps',
    '--loglevel=error',
  ];
  try {
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch {
    return false;
  }
  return isThere();
}
