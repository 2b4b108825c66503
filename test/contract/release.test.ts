/** Releases by a tag: workflows without mistakes, and one name and version in all files. */
import { readdirSync } from 'node:fs';
import { validate } from '@actions/languageservice';
import { expect } from 'chai';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { parse } from 'yaml';
import { readDocument, rowsOf, sectionOf } from '../support/documents.ts';
import { projectRoot } from '../support/source-tree.ts';

const workflows = [
  ...readdirSync(`${projectRoot}.github/workflows`).map((name) => `.github/workflows/${name}`),
  'bridge/examples/deploy-plugin/deploy-plugin.yml',
];

describe('workflows', () => {
  for (const name of workflows) {
    it(`have no mistake in ${name} that GitHub would refuse`, async () => {
      const text = await readDocument(name);
      expect(await validate(TextDocument.create(`file:///${name}`, 'yaml', 1, text))).to.deep.equal([]);
    });

    it(`pin each action to a commit in ${name}, with its version beside it`, async () => {
      const text = await readDocument(name);
      const used = [...text.matchAll(/\buses: (.*)/g)].map(([, action = '']) => action);
      const isPinned = (action: string) =>
        action.startsWith('./') || /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action);
      expect(used).not.to.deep.equal([]);
      expect(used.filter((action) => !isPinned(action))).to.deep.equal([]);
    });

    it(`give the jobs of ${name} only the write permissions that they name`, async () => {
      const { permissions } = parse(await readDocument(name));
      expect(permissions).to.deep.equal({ contents: 'read' });
    });
  }

  it('fail that check when they have a mistake', async () => {
    const text = 'on: push\njobs: { a: { runs-on: ubuntu-24.04, needs: b, steps: [{ uses: x }] } }\n';
    expect(await validate(TextDocument.create('file:///bad.yml', 'yaml', 1, text))).not.to.deep.equal([]);
  });
});

interface Job {
  needs?: string | string[];
  strategy?: { matrix: { runner: string[] } };
  steps?: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

const jobsOf = async (workflow: string): Promise<Record<string, Job>> =>
  parse(await readDocument(`.github/workflows/${workflow}.yml`)).jobs;

describe('the image', () => {
  const buildOf = (job: Job | undefined) =>
    job?.steps?.find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
  const triesOf = (job: Job | undefined) =>
    job?.steps?.filter(({ run }) => run?.startsWith('.ci/try-image ')) ?? [];

  it('is built, scanned for fixable flaws, and tried with each change', async () => {
    const { image } = await jobsOf('ci');
    expect(buildOf(image)?.with).to.deep.equal({ context: '.', load: true, tags: 'gamehost:ci' });
    const scan = image?.steps?.find(({ uses }) => uses?.startsWith('anchore/scan-action@'));
    expect(scan?.with).to.include({ image: 'gamehost:ci', 'only-fixed': true, 'severity-cutoff': 'high' });
    expect(triesOf(image).map(({ run }) => run)).to.deep.equal(['.ci/try-image gamehost:ci']);
  });

  it('gets its release tags after a trial on each processor, and is announced after that', async () => {
    const { image, start, tags, release } = await jobsOf('release');
    expect(buildOf(image)?.with).to.not.have.property('tags');
    expect(buildOf(image)?.with?.['outputs']).to.match(/^type=image,.*push-by-digest=true.*push=true$/);
    expect(start?.needs).to.equal('image');
    expect(start?.strategy?.matrix.runner).to.deep.equal(['ubuntu-24.04', 'ubuntu-24.04-arm']);
    expect(triesOf(start).map(({ run }) => run)).to.deep.equal(['.ci/try-image "$IMAGE"']);
    expect(tags?.needs).to.deep.equal(['image', 'start']);
    expect(tags?.steps?.map(({ run }) => run).join()).to.include('docker buildx imagetools create ');
    expect(release?.needs).to.deep.equal(['image', 'tags']);
  });
});

describe('a release', () => {
  it('has one name and version in every file that names them, and a dump of its database', async () => {
    const { version, repository, homepage, bugs } = JSON.parse(await readDocument('package.json'));
    const [, path = ''] = /^git\+https:\/\/github\.com\/(\S+)\.git$/.exec(repository.url) ?? [];
    expect([homepage, bugs]).to.deep.equal([
      `https://github.com/${path}#readme`,
      `https://github.com/${path}/issues`,
    ]);
    const image = `ghcr.io/${path.toLowerCase()}:${version}`;
    const { services } = parse(await readDocument('docker-compose.yml'), { merge: true });
    expect(services.api.image).to.equal(`\${GAMEHOST_IMAGE:-${image}}`);
    expect(await readDocument('.env.example')).to.include(`\n#GAMEHOST_IMAGE=${image}\n`);
    expect(await readDocument('bridge/trpc/README.md')).to.include(` ./gamehost-${version}.tgz `);
    expect(readdirSync(`${projectRoot}test/models/upgrades`)).to.include(`${version}.ndjson`);
  });

  it('gets fixes for at least a year, by the dates in SECURITY.md', async () => {
    const { version } = JSON.parse(await readDocument('package.json'));
    const policy = sectionOf(await readDocument('.github/SECURITY.md'), 'Supported versions');
    const [, released = '', until = ''] =
      rowsOf(policy).find(([minor]) => version.startsWith(`${minor}.`)) ?? [];
    const year = 365 * 24 * 60 * 60 * 1000;
    const startOf = (month: string) => Date.parse(`1 ${month} UTC`);
    expect(startOf(until) - startOf(released)).to.be.at.least(year);
  });
});
