/** The stories in TypeScript compile with the client, and do on the demo what their text says. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { compileWithClient } from '../../support/client.ts';
import { useDirectory } from '../../support/directory.ts';
import { readDocument, samplesOf } from '../../support/documents.ts';
import { startProgram } from '../../support/program.ts';
import { useStarted } from '../../support/use-started.ts';

const run = promisify(execFile);

/** The output of each, in the order of the documents. */
const printed = [
  /^minecraft: .*\nPlaying: dana\n$/s,
  /^2\. It is over now\.\n$/,
  /^Restart accepted\n$/,
  /^The first run is at \S+T04:30:00\.000Z\n$/,
  /server\.yml, line 4: max_players must be a number/,
  /^Exception .*UnsupportedClassVersionError.*\n$/,
  /^$/,
  /^Ticket \d+: Rusty Weekend fails\n$/,
];

describe('the stories in TypeScript', () => {
  const data = useDirectory();
  const demo = useStarted(() => startProgram({ DATA_DIR: data.path }));

  it('compile, and do on the demo what their text says', async () => {
    const [start = '', ...stories] = [
      ...samplesOf(await readDocument('bridge/rest/stories.md'), 'ts'),
      ...samplesOf(await readDocument('bridge/mcp/README.md'), 'ts'),
    ];
    const programs = stories.map((story, index) => [`${index}.ts`, start + story]);
    const { folder, errors } = await compileWithClient(Object.fromEntries(programs));
    expect(errors).to.deep.equal([]);
    expect(programs).to.have.lengthOf(printed.length);
    await writeFile(`${folder}RaidTimer.jar`, 'a plugin');
    const env = { ...process.env, GAMEHOST_URL: demo.url, GAMEHOST_KEY: demo.key ?? '' };
    for (const [index, output] of printed.entries()) {
      const { stdout } = await run(process.execPath, [`${index}.js`], { cwd: folder, env });
      expect(stdout, stories[index]).to.match(output);
    }
  });
});
