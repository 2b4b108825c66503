/** The files of a release: one command creates them from a tag, complete, and with the notes of that version only. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { wholeBuild } from '../support/built-programs.ts';
import { useDirectory } from '../support/directory.ts';
import { readDocument } from '../support/documents.ts';
import { failureOf } from '../support/failure-of.ts';
import { projectRoot } from '../support/source-tree.ts';

const run = promisify(execFile);

describe('.ci/release-files', () => {
  const checkout = useDirectory();
  let version: string;
  let wheel: string;

  before(async () => {
    ({ version } = JSON.parse(await readDocument('package.json')));
    for (const path of ['.ci/release-files', '.github/CHANGELOG.md', 'package.json'])
      await cp(`${projectRoot}${path}`, `${checkout.path}/${path}`);
    const settings = ['user.name=test', 'user.email=test@example.com', 'commit.gpgsign=false'];
    const options = settings.flatMap((setting) => ['-c', setting]);
    for (const command of [['init'], ['add', '.'], [...options, 'commit', '--message', 'Release']])
      await run('git', command, { cwd: checkout.path });
    await cp(`${await wholeBuild()}client`, `${checkout.path}/dist/client`, { recursive: true });
    wheel = `gamehost-${version}-py3-none-any.whl`;
    await mkdir(`${checkout.path}/dist/client-python`);
    await writeFile(`${checkout.path}/dist/client-python/${wheel}`, 'in place of npm run build:python');
  });

  const releaseFiles = (tag: string) => run(`${checkout.path}/.ci/release-files`, [tag]);

  it("writes the source, the clients for npm and for Python, their checksums, and only this version's notes", async () => {
    await releaseFiles(`v${version}`);
    const folder = `${checkout.path}/.cache/release`;
    const files = [wheel, `gamehost-${version}.tar.gz`, `gamehost-${version}.tgz`];
    expect(await readdir(folder)).to.have.members([...files, 'SHA256SUMS']);
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder });
    expect(stdout).to.equal(files.map((name) => `${name}: OK\n`).join(''));
    const notes = await readFile(`${checkout.path}/.cache/release-notes.md`, 'utf8');
    expect(notes).to.match(/^- /m).and.not.match(/^## /m);
  });

  it('refuses a tag that differs from the version in package.json, and names both', async () => {
    const { stderr } = (await failureOf(releaseFiles('v0.9.0'))) as Error & { stderr: string };
    expect(stderr).to.equal(`The tag v0.9.0 is not v${version}, which package.json names\n`);
  });
});
