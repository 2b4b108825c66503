/** A real nginx with the configuration of docker-compose.yml, in front of any server of a test. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { eventually } from './eventually.ts';
import { findDebianProgram } from './programs.ts';

const run = promisify(execFile);

const nginxConfiguration = new URL('../../server/nginx.conf', import.meta.url);

/**
 * Starts nginx in front of `upstream`, a URL; `stop()` it in `after`.
 * @param edit further changes to the configuration
 */
export async function startNginx(upstream: string, edit = (text: string) => text) {
  const path = await findDebianProgram({ packageName: 'nginx', path: 'usr/sbin/nginx' });
  const dir = await mkdtemp(join(tmpdir(), 'gamehost-nginx-'));
  const port = await findFreePort();
  const file = join(dir, 'nginx.conf');
  await writeFile(file, edit(adapt(await readFile(nginxConfiguration, 'utf8'), { dir, port, upstream })));
  const settings = ['-e', 'stderr', '-p', dir, '-c', file];
  const { stderr: verdict } = await run(path, [...settings, '-t']);
  const server = spawn(path, [...settings, '-g', 'daemon off;'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  server.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(url));
  return {
    url,
    port,
    pid: server.pid ?? 0,
    /** The output of `nginx -t` for the configuration. */
    verdict,
    log: () => log,
    async stop() {
      server.kill('SIGTERM');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Other paths, one worker, and an upstream by address: Debian's nginx does not resolve names at run time. */
function adapt(
  text: string,
  { dir, port, upstream }: { dir: string; port: number; upstream: string },
): string {
  const changes: [from: string, to: string][] = [
    ['/tmp/', `${dir}/`],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
    ['listen [::]:8080;', ''],
    ['server api:3000 resolve', `server ${new URL(upstream).host}`],
    // Started by root, nginx runs its workers as the user `nobody`, which cannot read the folder.
    ['worker_processes auto;', `worker_processes 1;${process.getuid?.() === 0 ? ' user root;' : ''}`],
  ];
  return changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`server/nginx.conf has no "${from}" any more`);
    return changed.replaceAll(from, to);
  }, text);
}
