/** The command line as a whole: help for every command, clear errors, and which database it works on. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { offeredScopes } from '../../../routers/scopes.ts';
import { createProgram } from '../../../server/cli/program.ts';
import { findRunningEmbedded, openDatabase } from '../../../server/database.ts';
import { createCli, runCli } from '../../support/cli.ts';
import { mongodCacheDir } from '../../support/mongo.ts';
import { startTestService } from '../../support/service.ts';

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

const dayMs = 24 * 60 * 60 * 1000;

describe('npm run cli', () => {
  describe('--help', () => {
    const verbs = leaves(createProgram());

    it('lists every command', () => {
      expect(verbs.map(pathOf)).to.deep.equal([
        ...[
          'user add',
          'user list',
          'user set',
          'user link',
          'user suspend',
          'user resume',
          'user delete',
          'user import',
          'key issue',
          'key list',
          'key revoke',
          'app list',
          'app revoke',
          'game import',
        ],
        ...[
          'subscription add',
          'subscription import',
          'ticket list',
          'ticket show',
          'ticket answer',
          'ticket close',
          'ticket archive',
          ...['webhook list', 'webhook disable', 'webhook deliveries'],
          ...['audit list', 'audit summary'],
          'indexes',
        ],
        ...['schema', 'backup', 'restore', 'seed', 'openapi'],
      ]);
    });

    for (const verb of verbs) {
      it(`${pathOf(verb)}: has a description for itself and each option, --json and an example`, () => {
        let help = '';
        verb
          .configureOutput({
            writeOut: (text) => {
              help += text;
            },
          })
          .outputHelp();
        expect(verb.description()).to.match(/^[A-Z]/);
        for (const { description } of [...verb.options, ...verb.registeredArguments])
          expect(description).to.have.length.above(10);
        expect(verb.options.map(({ long }) => long)).to.include('--json');
        expect(help).to.include(`\nExample:\n  npm run -s cli -- ${pathOf(verb)}`);
      });
    }

    it('prints to standard output with exit code 0 even with invalid settings', async () => {
      const run = await runCli(['user', 'add', '--help'], { env: { PORT: 'wrong' } });
      expect(run).to.include({ code: 0, stderr: '' });
      expect(run.stdout).to.include('--password <password>');
    });
  });

  describe('wrong usage', () => {
    const cli = createCli({ MONGODB_URI: 'mongodb://127.0.0.1:1/never-asked' });

    it('exit code 2: names every invalid option and its rule without repeating a password', async () => {
      const message = await cli.refusal(
        'user add --email x --password short --panel-user 0 --chat-avatar-url ftp://x',
        2,
      );
      expect(message.split('; ')).to.deep.equal([
        '--email must be an e-mail address, such as ada@example.com',
        '--password must be at least 12 characters',
        '--panel-user must be a whole number from 1',
        '--chat-avatar-url must be an http or https URL',
      ]);
    });

    it('exit code 2: unknown scopes, and times that are past or invalid', async () => {
      const messages = await cli.refusals(
        [
          'key issue --email a@example.com --name laptop --scopes read:catalog,read:all --expires 2020-01-01',
          'key issue --email a@example.com --name laptop --scopes , --expires 2100-02-30',
          'key issue --email a@example.com --name laptop --scopes read:catalog --expires 2100-01-01T12:00:00',
        ],
        2,
      );
      const form =
        '--expires must be an ISO 8601 time with its zone, or a date: 2030-01-31T12:00:00Z or 2030-01-31';
      expect(messages).to.deep.equal([
        `--scopes has the unknown scope "read:all"; the scopes are ${offeredScopes({}).join(', ')}; --expires must be in the future`,
        `--scopes must name at least one scope; ${form}`,
        form,
      ]);
    });

    it('exit code 2: an unknown command, a missing option or an invalid number', async () => {
      const refusals = {
        'user frobnicate': "unknown command 'frobnicate'",
        'key list': "required option '--email <address>' not specified",
        'ticket close 1e3': 'ID must be a whole number from 1',
        'audit list --limit 10001': '--limit must be at most 10000',
        'user set --email a@example.com --panel-user all':
          '--panel-user must be a whole number from 1, or none',
        'user set --email a@example.com':
          'give at least one of --password, --[no-]admin, --[no-]support, --external-id, --panel-user',
      };
      expect(await cli.refusals(Object.keys(refusals), 2)).to.deep.equal(Object.values(refusals));
    });

    it('exit code 2: a scope that this service does not offer, with the setting that offers it', async () => {
      const issue = (scope: string) => `key issue --email a@example.com --name laptop --scopes ${scope}`;
      expect(await cli.refusals([issue('write:console'), issue('admin:webhooks')], 2)).to.deep.equal([
        '--scopes has write:console, which is offered with CONSOLE_COMMANDS=true only',
        '--scopes has admin:webhooks, which is offered with SECRETS_KEY only',
      ]);
    });

    it('exit code 1: a file that is missing or a directory, by its name', async () => {
      const commands = ['game import', 'user import', 'subscription import'];
      for (const command of commands)
        expect(await cli.refusals([`${command} no-such-file`, `${command} ${tmpdir()}`])).to.deep.equal([
          'there is no file no-such-file',
          `${tmpdir()} is a directory, not a file`,
        ]);
    });

    it('exit code 1: names an invalid setting', async () => {
      expect(await createCli({ MONGODB_URI: 'http://db' }).refusal('user list')).to.match(
        /MONGODB_URI: must begin with mongodb/,
      );
    });
  });

  describe('seed', () => {
    it('adds the demo data and shows its credentials once, in production only with ALLOW_DEMO', async () => {
      const service = await startTestService();
      try {
        const cli = createCli({ MONGODB_URI: service.databaseUri, KEY_MAX_DAYS: '30' });
        const production = {
          NODE_ENV: 'production',
          MONGODB_URI: service.databaseUri,
          PANEL_URL: 'http://127.0.0.1:1',
          PANEL_APPLICATION_KEY: 'a',
          PANEL_CLIENT_KEY: 'c',
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
      } finally {
        await service.stop();
      }
    });
  });

  describe('without MONGODB_URI', () => {
    let dataDir: string;
    beforeEach(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'gamehost-cli-'));
    });
    afterEach(() => rm(dataDir, { recursive: true }));

    it('openapi: prints the served document without a database', async () => {
      const service = await startTestService();
      const cli = createCli({ DATA_DIR: dataDir, CONSOLE_COMMANDS: 'true' });
      const served = (await service.call('GET', '/openapi.json')).body;
      await service.stop();
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
});
