/** The command line as a process, on demo data, and on the embedded database. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findRunningEmbedded, openDatabase } from '../../../server/database.ts';
import { createCli, runCliProcess } from '../../support/cli.ts';
import { mongodCacheDir } from '../../support/mongo.ts';
import { useService } from '../../support/service.ts';

const dayMs = 24 * 60 * 60 * 1000;

describe('npm run cli', () => {
  describe('seed', () => {
    const service = useService();

    it('adds the demo data and prints its credentials once, in production only with ALLOW_DEMO', async () => {
      const cli = createCli({ MONGODB_URI: service.databaseUri, KEY_MAX_DAYS: '30' });
      const production = {
        NODE_ENV: 'production',
        MONGODB_URI: service.databaseUri,
        ...{ PANEL_URL: 'http://127.0.0.1:1', PANEL_APPLICATION_KEY: 'a', PANEL_CLIENT_KEY: 'c' },
      };
      expect(await createCli(production).refusal('seed')).to.equal(
        'no demo data with NODE_ENV=production (ALLOW_DEMO=true lifts this)',
      );
      const { seeded, email, key, password } = await cli.json('seed');
      expect({ seeded, email }).to.deep.equal({ seeded: true, email: 'demo@example.com' });
      expect(password).to.have.length.at.least(12);
      expect((await service.call('GET', '/me', { key })).body.user.email).to.equal(email);
      const { expires_at } = (await service.call('GET', '/key', { key })).body.key;
      expect(Date.parse(expires_at) - Date.now()).to.be.within(29 * dayMs, 30 * dayMs);
      expect(await cli.json('seed')).to.deep.equal({ seeded: false });
    });
  });

  describe('without MONGODB_URI', () => {
    let dataDir: string;
    beforeEach(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'gamehost-cli-'));
    });
    afterEach(() => rm(dataDir, { recursive: true }));
    const service = useService();

    it('prints the served OpenAPI document without a database', async () => {
      const cli = createCli({ DATA_DIR: dataDir, CONSOLE_COMMANDS: 'true' });
      const served = (await service.call('GET', '/openapi.json')).body;
      const command = ['openapi', '--url', `${service.url}/`];
      expect(JSON.parse(await cli.text(command))).to.deep.equal(served);
      expect(await cli.json(command)).to.deep.equal(served);
      expect(await readdir(dataDir)).to.deep.equal([]);
    });

    it('uses the embedded database of a running service, or starts and stops one', async () => {
      const cli = createCli({ DATA_DIR: dataDir });
      const reportProgress = () => {};
      const mongodSystemBinary = process.env['MONGOMS_SYSTEM_BINARY'];
      const database = await openDatabase({
        dataDir,
        cacheDir: mongodCacheDir,
        mongodSystemBinary,
        reportProgress,
      });
      try {
        await cli.json('user add --email ada@example.com --password correct-horse');
        expect(await findRunningEmbedded(dataDir)).to.equal(database.uri);
        const backup = join(dataDir, 'backup');
        await cli.json(['backup', backup]);
        expect(await cli.refusal(['restore', backup, '--drop'])).to.match(
          /service is running.*stop it first$/,
        );
      } finally {
        await database.stop();
      }
      expect(await cli.json('user list')).to.have.length(1);
      expect(await findRunningEmbedded(dataDir)).to.equal(null);
    });
  });

  describe('as a separate process', () => {
    const service = useService();
    const password = 'correct horse battery';
    const run = (args: string, options = {}) =>
      runCliProcess(args.split(' '), { env: { MONGODB_URI: service.databaseUri }, ...options });

    it('exits with 0, 1 or 2, prints results and errors to separate streams, and shows no password', async () => {
      const add = 'user add --email ada@example.com --password';
      const added = await run(`${add} - --json`, { stdin: `${password}\n` });
      expect(added).to.include({ code: 0, stderr: '' });
      expect(JSON.parse(added.stdout).email).to.equal('ada@example.com');
      const refused = await run(`${add} ${password.replaceAll(' ', '-')}`);
      const taken = 'error: the e-mail address ada@example.com is taken\n';
      expect(refused).to.deep.equal({ code: 1, stdout: '', stderr: taken });
      const wrong = await run(`${add} guessable --panel-user x`);
      expect(wrong).to.include({ code: 2, stdout: '' });
      expect(wrong.stderr).to.match(/^error: --password .*; --panel-user must be/);
      for (const { stdout, stderr } of [added, refused, wrong])
        expect(stdout + stderr).not.to.match(/correct|horse|guessable/);
    });

    it('exits with 0 if its output is closed early, as in `audit list | head`', async () => {
      expect(await run('audit list', { closesOutput: true })).to.include({ code: 0, stderr: '' });
    });
  });
});
