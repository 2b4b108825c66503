/** The links, scripts, source files and versions in the documents exist. */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { operationsGuide, readDocument } from '../support/documents.ts';
import { layers } from '../support/source-tree.ts';

const projectDir = fileURLToPath(new URL('../../', import.meta.url));

const documents = [
  'README.md',
  ...operationsGuide,
  'bridge/examples/README.md',
  'bridge/rest/README.md',
  'bridge/rest/stories.md',
  'bridge/trpc/README.md',
  'bridge/mcp/README.md',
  '.github/CHANGELOG.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
];

describe('the documentation', () => {
  let readme: string;
  let operations: string;

  before(async () => {
    readme = await readDocument('README.md');
    operations = (await Promise.all(operationsGuide.map(readDocument))).join('\n');
  });

  it('names only scripts that exist in package.json', async () => {
    const { scripts } = JSON.parse(await readDocument('package.json')) as { scripts: object };
    const named = [...`${readme}${operations}`.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name);
    expect(named).not.to.deep.equal([]);
    expect(Object.keys(scripts)).to.include.members(named);
  });

  it('starts the service with server/start.sh in npm, the image and systemd', async () => {
    const { scripts } = JSON.parse(await readDocument('package.json')) as { scripts: { start: string } };
    expect(scripts.start).to.equal('server/start.sh');
    expect(await readDocument('Dockerfile')).to.match(/^CMD \["server\/start\.sh"\]$/m);
    expect(operations).to.match(/^ExecStart=\/opt\/gamehost\/server\/start\.sh --env-file=\S+$/m);
    accessSync(join(projectDir, 'server/start.sh'), constants.X_OK);
  });

  for (const path of documents)
    it(`has no broken links in ${path}`, async () => {
      const links = [...(await readDocument(path)).matchAll(/\]\((?!http|#)([^)#]+)[^)]*\)/g)];
      const missing = links.filter(([, link = '']) => !existsSync(join(projectDir, dirname(path), link)));
      expect(links).not.to.deep.equal([]);
      expect(missing).to.deep.equal([]);
    });

  it('runs no other command beside one with a placeholder, which fails until it is filled in', async () => {
    const blocks = (await readDocument('bridge/rest/stories.md')).match(/```sh\n[^`]+/g) ?? [];
    const filledIn = blocks.filter((block) => /BACKUP_UUID|UPLOAD_URL/.test(block));
    expect(filledIn.map((block) => block.split(/^(?:curl|gamehost) /m).length - 1)).to.deep.equal([1, 1, 1]);
  });

  it('names only source files that exist', async () => {
    const entries = [...layers, 'test', '.github'].flatMap((folder) =>
      readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `/${folder}/${name}`,
      ),
    );
    const guides = entries.filter((path) => path.endsWith('.md') && !path.endsWith('/CHANGELOG.md'));
    const missing = guides.map(async (guide) => {
      const named = (await readDocument(guide.slice(1))).matchAll(/`(?:\.\.\/)*([\w./-]+\.(?:tsx?|sh))`/g);
      const isGone = (path: string) =>
        !path.includes('NOUN') && !entries.some((each) => each.endsWith(`/${path}`));
      return [...named].flatMap(([, path = '']) => (isGone(path) ? [`${guide}: ${path}`] : []));
    });
    expect((await Promise.all(missing)).flat()).to.deep.equal([]);
  });

  it('has one version in package.json, the changelog, the OpenAPI document and on the command line', async () => {
    const { version } = JSON.parse(await readDocument('package.json')) as { version: string };
    const changelog = await readDocument('.github/CHANGELOG.md');
    expect(/^## (\d\S+)/m.exec(changelog)?.[1], 'the changelog').to.equal(version);
    const { stdout } = await runCli(['openapi']);
    expect(JSON.parse(stdout).info.version, 'the OpenAPI document').to.equal(version);
    expect((await runCli(['--version'])).stdout, 'the command line').to.equal(`${version}\n`);
  });
});
