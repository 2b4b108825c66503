/** The command line's help, and its answers to wrong usage. */
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import type { Command } from 'commander';
import { selectOfferedScopes } from '../../../routers/scopes.ts';
import { createProgram } from '../../../server/cli/program.ts';
import { createCli, runCli } from '../../support/cli.ts';

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

describe('npm run cli', () => {
  describe('--help', () => {
    const verbs = leaves(createProgram());

    for (const verb of verbs) {
      it(`${pathOf(verb)}: describes itself and each option, --json included, with an example`, () => {
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
          expect(description).to.match(/^[^<].{9}/);
        expect(verb.options.map(({ long }) => long)).to.include('--json');
        expect(help).to.include(`\nExample:\n  npm run -s cli -- ${pathOf(verb)}`);
      });
    }

    it('prints to standard output and exits with 0 even if settings are invalid', async () => {
      const run = await runCli(['user', 'add', '--help'], { env: { PORT: 'wrong' } });
      expect(run).to.include({ code: 0, stderr: '' });
      expect(run.stdout).to.include('--password <password>');
    });
  });

  describe('with wrong usage', () => {
    const cli = createCli({ MONGODB_URI: 'mongodb://127.0.0.1:1/never-asked' });

    it('exits with 2 and names every invalid option and its rule, without repeating a password', async () => {
      const message = await cli.refusal(
        'user add --email \u212aim@example.com --password short --panel-user 0 --chat-avatar-url ftp://x',
        2,
      );
      expect(message.split('; ')).to.deep.equal([
        '--email must be an e-mail address, such as ada@example.com',
        '--password must be at least 12 characters',
        '--panel-user must be a whole number from 1',
        '--chat-avatar-url must be an http or https URL',
      ]);
    });

    it('exits with 2 for unknown scopes, and past or invalid times', async () => {
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
        `--scopes has the unknown scope "read:all"; the scopes are ${selectOfferedScopes({}).join(', ')}; --expires must be in the future`,
        `--scopes must name at least one scope; ${form}`,
        form,
      ]);
    });

    it('exits with 2 for an unknown command, a missing option or an invalid number', async () => {
      const refusals = {
        'user frobnicate': "unknown command 'frobnicate'",
        'key list': "required option '--email <address>' not specified",
        'ticket close 1e3': 'ID must be a whole number from 1',
        'audit list --limit 10001': '--limit must be at most 10000',
        'user set --email a@example.com --panel-user all':
          '--panel-user must be a whole number from 1, or none',
        'user import': 'give either a file or --from-panel',
        'user import --dry-run --from-panel package.json': 'give either a file or --from-panel',
        'user import --dry-run package.json': '--dry-run needs --from-panel',
        'user import --invite package.json': '--invite needs --from-panel, without --dry-run',
        'user invite': 'give either --email or --all',
        'user set --email a@example.com':
          'give at least one of --password, --[no-]admin, --[no-]support, --external-id, --panel-user',
      };
      expect(await cli.refusals(Object.keys(refusals), 2)).to.deep.equal(Object.values(refusals));
    });

    it('exits with 2 for a scope that this service does not offer, and names the setting that enables it', async () => {
      const issue = (scope: string) => `key issue --email a@example.com --name laptop --scopes ${scope}`;
      expect(await cli.refusals([issue('write:console'), issue('admin:webhooks')], 2)).to.deep.equal([
        '--scopes has write:console, which is offered only with CONSOLE_COMMANDS=true',
        '--scopes has admin:webhooks, which is offered only with SECRETS_KEY',
      ]);
    });

    it('exits with 2 for a server.json without PUBLIC_URL or a valid name', async () => {
      const printServerJson = 'mcp server-json --name';
      expect(await createCli({}).refusal(`${printServerJson} example.games/panel`, 2)).to.equal(
        "PUBLIC_URL must be set to the service's address; the registry accepts only https",
      );
      const named = createCli({ PUBLIC_URL: 'https://games.example' });
      const names = ['panel', 'example.games/', '/panel', 'a.b/c/d', 'example games/panel'];
      const refusals = await named.refusals(
        names.map((name) => [...printServerJson.split(' '), name]),
        2,
      );
      expect([...new Set(refusals)]).to.deep.equal([
        '--name must be a domain in reverse, a slash and a name, such as example.games/gamehost',
      ]);
      expect(await named.refusal('mcp server-json', 2)).to.equal(
        "required option '--name <name>' not specified",
      );
    });

    it('exits with 1 for a missing file or a directory, and names it', async () => {
      const commands = ['game import', 'user import', 'subscription import'];
      for (const command of commands)
        expect(await cli.refusals([`${command} no-such-file`, `${command} ${tmpdir()}`])).to.deep.equal([
          'there is no file no-such-file',
          `${tmpdir()} is a directory, not a file`,
        ]);
    });

    it('exits with 1 for an invalid setting, and names it', async () => {
      expect(await createCli({ MONGODB_URI: 'http://db' }).refusal('user list')).to.match(
        /MONGODB_URI: must begin with mongodb/,
      );
    });
  });
});
