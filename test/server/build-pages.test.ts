/** The pages' files after the build: the compiled service serves what the service from source does. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { loadPageFiles } from '../../bridge/pages/page-files.ts';
import { pageSources } from '../../server/pages.ts';

const root = new URL('../../', import.meta.url);

describe('npm run build', () => {
  before(async function () {
    this.timeout(60_000);
    await promisify(execFile)(process.execPath, ['--import', 'tsx', 'server/build-pages.ts']);
  });

  for (const source of pageSources) {
    const path = source.folder.href.slice(root.href.length);
    it(`leaves the files of ${path} as they are served from source`, async () => {
      const folder = new URL(`dist/${path}`, root);
      const files = await loadPageFiles(source);
      expect((await readdir(folder)).sort()).to.deep.equal([...files.keys()].sort());
      for (const [name, { content }] of files)
        expect(content.equals(await readFile(new URL(name, folder))), name).to.equal(true);
    });
  }
});
