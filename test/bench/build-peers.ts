/** Compiles the peers to plain JavaScript, as our own service is, and says how each server is started. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { peerNames, type ServerName } from './contenders.ts';
import { projectDir } from './servers.ts';

const outdir = join(projectDir, '.cache/bench');
const peersDir = join(projectDir, 'test/bench/peers');

export async function buildPeers(): Promise<void> {
  await build({
    entryPoints: peerNames.map((name) => join(peersDir, `${name}.ts`)),
    ...{ outdir, outExtension: { '.js': '.mjs' } },
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20' },
    logLevel: 'warning',
  });
}

/** As npm start starts our own. */
export const commandOf = (server: ServerName): string[] =>
  server === 'ours'
    ? [process.execPath, '--enable-source-maps', 'dist/server/main.js']
    : [process.execPath, '--enable-source-maps', join(outdir, `${server}.mjs`)];
