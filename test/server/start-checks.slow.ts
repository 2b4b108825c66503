/** npm start prints the findings of check in a line each, and continues. */
import { expect } from 'chai';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { createCli } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { startProgram } from '../support/program.ts';
import { startStandInPanel } from '../support/stand-in-panel.ts';
import { useStarted } from '../support/use-started.ts';

describe('npm start with refused panel keys and unreachable PUBLIC_URL and SMTP_URL', () => {
  const panel = useStarted(() => startStandInPanel());

  it('prints a line for each, as check does, and /readyz reports the panel unavailable', async () => {
    const port = await findFreePort();
    const settings = {
      MONGODB_URI: testDatabaseUri('start_checks'),
      PANEL_URL: panel.url,
      PANEL_APPLICATION_KEY: 'ptla_revoked',
      PANEL_CLIENT_KEY: 'ptlc_revoked',
      PUBLIC_URL: 'http://127.0.0.1:1',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'noreply@host.example',
      PORT: String(port),
    };
    const program = await startProgram(settings);
    try {
      await eventually(async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
        expect(await answer.json()).to.deep.include({ parts: { mongodb: 'ok', panel: 'unavailable' } });
      });
      const { code, stdout } = await createCli(settings).run('check --json');
      expect(code).to.equal(1);
      const checks: { state: string; message: string }[] = JSON.parse(stdout).checks;
      const failed = checks.filter(({ state }) => state === 'failed').map(({ message }) => message);
      expect(failed).to.have.lengthOf(4);
      // The check of the address takes up to a minute, because a proxy may need that long.
      await eventually(async () => expect(linesOf(program.output())).to.include.members(failed), 70_000);
    } finally {
      await program.stop();
    }
  });
});

const linesOf = (output: string): unknown[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line).msg);
