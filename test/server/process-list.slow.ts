/** Every user of the machine can read the list of processes, so it contains no secret. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useDirectory } from '../support/directory.ts';
import { startProgram } from '../support/program.ts';
import { useStarted } from '../support/use-started.ts';

/** The command lines of all processes, from /proc, because some Linux systems have no `ps`. */
async function commandLines(): Promise<string> {
  if (process.platform !== 'linux') return (await promisify(execFile)('ps', ['-A', '-o', 'args'])).stdout;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // Some processes have ended since they were listed.
  const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).join('\n').replaceAll('\0', ' ');
}

describe('the list of processes', () => {
  const folder = useDirectory();
  const program = useStarted(() =>
    startProgram({
      ...{ DATA_DIR: folder.path, PANEL_URL: 'http://127.0.0.1:9' },
      PANEL_APPLICATION_KEY: 'ptla_seen-by-nobody-1',
      PANEL_CLIENT_KEY: 'ptlc_seen-by-nobody-2',
    }),
  );

  it("shows a service and its mongod, but neither the panel's keys nor a new API key", async () => {
    const shown = await commandLines();
    expect(shown).to.include('dist/server/main.js').and.to.include(join(folder.path, 'mongodb'));
    expect(shown).not.to.include('seen-by-nobody');
    expect(program.key).to.be.a('string');
    expect(shown).not.to.include(program.key?.slice(20));
  });
});
