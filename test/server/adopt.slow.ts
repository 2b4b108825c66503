/** Follows the ten steps of "Adopt it" word for word, from a panel with customers to the first call of one of them. */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv, promisify } from 'node:util';
import { expect } from 'chai';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { openAccount } from '../support/account.ts';
import { builtPrograms } from '../support/built-programs.ts';
import { useDirectory } from '../support/directory.ts';
import { commandsOf, readDocument, sectionOf } from '../support/documents.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { panelServer } from '../support/panel/attributes.ts';
import { startProgram, type TestProgram } from '../support/program.ts';
import { startStandInPanel } from '../support/stand-in-panel.ts';
import { useStarted } from '../support/use-started.ts';

const run = promisify(execFile);
const projectDir = fileURLToPath(new URL('../../', import.meta.url));

describe('a host that follows the ten steps of adoption', () => {
  const folder = useDirectory();
  const panel = useStarted(() => startStandInPanel());
  let program: TestProgram | undefined;

  after(() => program?.stop());

  /** Replaces docker: a container's command runs here instead, with the settings in .env. */
  async function writeDocker(): Promise<string> {
    const path = join(folder.path, 'bin');
    await mkdir(path);
    const script = [
      '#!/bin/sh',
      'while [ "$1" ] && [ "$1" != dist/server/cli.js ]; do shift; done',
      '[ "$1" ] || exit 0',
      'shift; set -a; . ./.env; set +a',
      `exec "${process.execPath}" "${await builtPrograms()}cli.js" "$@"`,
    ];
    await writeFile(join(path, 'docker'), script.join('\n'));
    await chmod(join(path, 'docker'), 0o755);
    return path;
  }

  it("reaches a customer's first call", async () => {
    panel.users.push({ id: 1, external_id: null, email: 'root@panel.example', root_admin: true });
    panel.users.push({ id: 7, external_id: null, email: 'Ada@example.com', first_name: 'Ada' });
    panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]);
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const dockerDir = await writeDocker();
    await copyFile(join(projectDir, '.env.example'), join(folder.path, '.env.example'));
    await writeFile(join(folder.path, 'password.txt'), 'correct horse battery\n');
    let key = '';

    const bash = (line: string) => {
      const env = { HOME: folder.path, PATH: `${dockerDir}:${process.env['PATH']}`, GAMEHOST_KEY: key };
      return run('/bin/bash', ['-c', line], { cwd: folder.path, env });
    };
    /** The settings that the operator writes in step 3, and those that docker-compose.yml adds. */
    const edit = async () => {
      const path = join(folder.path, '.env');
      const values: Record<string, string> = {
        ...{ PUBLIC_URL: url, PANEL_URL: panel.url },
        ...{ PANEL_APPLICATION_KEY: panel.applicationKey, PANEL_CLIENT_KEY: panel.clientKey },
      };
      const written = (await readFile(path, 'utf8')).replace(/^(\w+)=$/gm, (line, name: string) =>
        name in values ? `${name}=${values[name]}` : line,
      );
      const ofCompose = `MONGODB_URI="${testDatabaseUri('adopt')}"\nPORT=${new URL(url).port}\n`;
      await writeFile(path, `${written}\n${ofCompose}`);
    };
    const start = async () => {
      const settings = parseEnv(await readFile(join(folder.path, '.env'), 'utf8'));
      program = await startProgram(settings as Record<string, string>); // a file has no undefined value
    };

    const commands = commandsOf(sectionOf(await readDocument('server/operations/adopt.md'), 'Step by step'));
    const outputs = new Map<string, string>();
    for (const { line } of commands) {
      if (line.startsWith('docker compose run ')) await edit();
      if (line.startsWith('docker compose up')) await start();
      if (line.startsWith('curl ')) key = await createKey(url, [...outputs.values()].at(-1) ?? '');
      const isCall = line.startsWith('curl ');
      const { stdout } = await bash(isCall ? `${line.replace('https://games.example', url)} -sS` : line);
      outputs.set(line, stdout);
    }
    const secrets = parseEnv(await readFile(join(folder.path, '.env'), 'utf8'));
    for (const name of ['MONGODB_ROOT_PASSWORD', 'MONGODB_PASSWORD', 'REDIS_PASSWORD', 'SECRETS_KEY'])
      expect(secrets[name], name).to.match(/^[0-9a-f]{64}$/);
    const [first = '', ...others] = [...outputs.values()].filter((output) => output.includes('MESSAGE'));
    expect(first)
      .to.match(/note +MongoDB +ready and empty/)
      .and.match(/note +Public address/);
    expect(others.join())
      .to.match(/ok +Public address/)
      .and.match(/ok +Panel: application key/);
    const [dryRun, imported] = [...outputs].flatMap(([line, out]) => (line.includes('import') ? [out] : []));
    expect(dryRun).to.include('would create panel user 7, ada@example.com\n').and.include('1 left out');
    expect(imported).to.include('1 created');
    const { servers } = JSON.parse([...outputs.values()].at(-1) ?? '');
    expect(servers.map(({ identifier }: { identifier: string }) => identifier)).to.deep.equal(['a1b2c3d4']);
  });

  async function createKey(url: string, printed: string): Promise<string> {
    const [, token = ''] = /\/account\/link#(\S+)/.exec(printed) ?? [];
    const { api } = openAccount(url);
    await api.session.signInByLink.mutate({ token });
    const request = { name: 'first', scopes: ['read:account' as const], expires_at: null };
    const { secret } = await api.keys.create.mutate(request);
    return secret;
  }
});
