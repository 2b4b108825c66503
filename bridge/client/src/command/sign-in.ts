/** The commands login, logout and whoami. */
import type { Command } from 'commander';
import { NotSignedInError } from './failures.ts';
import type { Host } from './host.ts';

export function addSignIn(program: Command, host: Host | null): void {
  program
    .command('whoami')
    .description('Show the host and the credential that commands use.')
    .action(() => {
      if (!host) throw new NotSignedInError('You are not signed in: run "gamehost login"');
      process.stdout.write(`${host.url}\n`);
    });
}
