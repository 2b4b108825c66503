/** The stories in TypeScript compile with the client, and do on the demo what their text says. */
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { builtClient } from '../../support/client.ts';
import { useDirectory } from '../../support/directory.ts';
import { readDocument } from '../../support/documents.ts';
import { startProgram } from '../../support/program.ts';
import { useStarted } from '../../support/use-started.ts';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

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

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  module: 'nodenext',
  target: 'es2022',
  types: ['node'],
  typeRoots: [`${modules}@types`],
  noEmit: true,
};

describe('the stories in TypeScript', () => {
  const folder = useDirectory();
  const demo = useStarted(() => startProgram({ DATA_DIR: `${folder.path}/data` }));
  let programs: string[];

  before(async () => {
    const [start = '', ...stories] = examplesOf(await readDocument('bridge/rest/stories.md'));
    stories.push(...examplesOf(await readDocument('bridge/mcp/README.md')));
    programs = stories.map((story) => start + story);
    await mkdir(`${folder.path}/node_modules`);
    await symlink(await builtClient(), `${folder.path}/node_modules/gamehost`, 'dir');
    await writeFile(`${folder.path}/RaidTimer.jar`, 'a plugin');
    await writeFile(`${folder.path}/tsconfig.json`, JSON.stringify({ compilerOptions }));
    for (const [index, text] of programs.entries())
      for (const kind of ['mjs', 'mts']) await writeFile(`${folder.path}/${index}.${kind}`, text);
  });

  it("compile with the client's types", async () => {
    const tsc = [`${modules}typescript-7/bin/tsc`, '--project', folder.path];
    const { stdout } = await run(process.execPath, tsc).catch((failure: { stdout: string }) => failure);
    expect(stdout).to.equal('');
  });

  it('do on the demo what their text says', async () => {
    const env = { ...process.env, GAMEHOST_URL: demo.url, GAMEHOST_KEY: demo.key ?? '' };
    expect(programs).to.have.lengthOf(printed.length);
    for (const [index, output] of printed.entries()) {
      const { stdout } = await run(process.execPath, [`${index}.mjs`], { cwd: folder.path, env });
      expect(stdout, programs[index]).to.match(output);
    }
  });
});

const examplesOf = (document: string): string[] =>
  [...document.matchAll(/```ts\n(.*?)```/gs)].map(([, example = '']) => example);
