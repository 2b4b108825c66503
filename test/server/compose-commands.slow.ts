/** Commands of docker-compose.yml that run in containers of the service: the health check and the daily backup. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { builtPrograms } from '../support/built-programs.ts';
import { useDirectory } from '../support/directory.ts';
import { readDocument } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { listenLocally } from '../support/local-server.ts';
import { testDatabaseUri } from '../support/mongo.ts';

type Program = readonly [name: string, ...args: string[]];

/** Compose turns two dollar signs into one. */
const unescaped = (parts: readonly string[]) => parts.map((part) => part.replaceAll('$$', '$'));

const succeeds = ([name, ...args]: Program) =>
  new Promise((resolve) => execFile(name, args, (failure) => resolve(failure === null)));

describe('the containers of docker-compose.yml', () => {
  const folder = useDirectory();
  let services: Record<string, { command?: string[]; healthcheck: { test: string[] } }>;

  before(async () => {
    services = parse(await readDocument('docker-compose.yml'), { merge: true }).services;
  });

  /** @param replaced a path or a port of the container, and the one here */
  function programOf(parts: readonly string[] = [], ...replaced: [inside: string, here: string]): Program {
    const [name = '', ...args] = unescaped(parts).map((part) => part.replaceAll(...replaced));
    return [name, ...args];
  }

  it('report the service healthy while it is ready, and start no Node.js for the check', async () => {
    let status = 200;
    const asked: (string | undefined)[] = [];
    const server = await listenLocally(
      createServer((request, response) => {
        asked.push(request.url);
        response.writeHead(status).end('{"status":"any"}');
      }),
    );
    const [, ...command] = services['api']?.healthcheck.test ?? [];
    const check = programOf(command, '3000', String(server.port));
    expect(check.join(' ')).to.not.include('node');
    expect(await succeeds(check)).to.equal(true);
    status = 503;
    expect(await succeeds(check)).to.equal(false);
    expect(asked).to.deep.equal(['/readyz', '/readyz']);
    await server.stop();
    expect(await succeeds(check)).to.equal(false);
  });

  describe('run a backup that', () => {
    const today = new Date().toISOString().slice(0, 10);
    let backups: string;
    const daysBefore = (count: number) =>
      new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
    const isHealthy = async () => {
      const [, ...check] = services['backup']?.healthcheck.test ?? [];
      return succeeds(programOf(['sh', '-c', ...check], '/backups', backups));
    };

    async function prepare(name: string, MONGODB_URI: string) {
      backups = join(folder.path, name);
      await mkdir(backups);
      const [program, ...args] = programOf(services['backup']?.command, '/backups', backups);
      const cwd = join(await builtPrograms(), '../..');
      const env = { PATH: process.env['PATH'], MONGODB_URI };
      return () => spawn(program, args, { cwd, env, stdio: 'ignore' });
    }

    it('runs daily, keeps seven days, and ends at once when it is stopped', async () => {
      const run = await prepare('kept', testDatabaseUri());
      const old = [8, 7, 6, 5, 4, 3, 2].map(daysBefore);
      for (const name of [...old, `${today}.partial-x`, 'mine']) await mkdir(join(backups, name));
      for (const name of old) await utimes(join(backups, name), 0, 0);
      expect(await isHealthy()).to.equal(false);
      const child = run();
      await eventually(async () => {
        expect(await readdir(backups)).to.have.members([...old.slice(1), today, 'mine']);
      });
      expect(await isHealthy()).to.equal(true);
      child.kill('SIGTERM');
      expect(await once(child, 'close')).to.deep.equal([0, null]);
    });

    it('deletes no older backup if it fails', async () => {
      const run = await prepare('failing', 'mongodb://127.0.0.1:1/gamehost');
      const old = [9, 8, 7, 6, 5, 4, 3, 2].map(daysBefore);
      for (const name of old) await mkdir(join(backups, name));
      await mkdir(join(backups, `${today}.partial-x`));
      const child = run();
      await eventually(async () => {
        expect(await readdir(backups)).to.have.members(old);
      });
      child.kill('SIGTERM');
      await once(child, 'close');
      expect(await readdir(backups)).to.have.members(old);
    });
  });
});
