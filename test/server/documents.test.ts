/** The tables, scripts and links in the README, the operations guide and the MCP guide are complete and correct. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { errorTable } from '../../routers/errors.ts';
import { scopes } from '../../routers/scopes.ts';
import { createProgram } from '../../server/cli/program.ts';
import { runCli } from '../support/cli.ts';
import { operationsGuide, readDocument, rowsOf, sectionOf } from '../support/documents.ts';
import { rows } from '../support/samples.ts';
import { layers } from '../support/source-tree.ts';
import { readStartArguments } from '../support/start-command.ts';

const projectDir = fileURLToPath(new URL('../../', import.meta.url));

const documents = [
  'README.md',
  ...operationsGuide,
  'bridge/rest/README.md',
  'bridge/rest/stories.md',
  'bridge/trpc/README.md',
  'bridge/mcp/README.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
];

describe('the documentation', () => {
  let readme: string;
  let operations: string;
  let reference: string;
  let mcpGuide: string;

  before(async () => {
    readme = await readDocument('README.md');
    operations = (await Promise.all(operationsGuide.map(readDocument))).join('\n');
    reference = await readDocument('bridge/rest/README.md');
    mcpGuide = await readDocument('bridge/mcp/README.md');
  });

  it('describes every script of package.json that is for developers', async () => {
    const { scripts } = JSON.parse(await readDocument('package.json')) as { scripts: object };
    const told = sectionOf(await readDocument('.github/CONTRIBUTING.md'), 'Scripts');
    const ownPlaces = ['prepare', 'build', 'start', 'cli'];
    const untold = Object.keys(scripts).filter((name) => !told.includes(`\`${name}\``));
    expect(untold.sort()).to.deep.equal(ownPlaces.sort());
    const named = [...`${readme}${operations}`.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name);
    expect(Object.keys(scripts)).to.include.members(named);
  });

  it('starts the service with the flags of npm start, in a container and by systemd too', async () => {
    const start = ['node', ...readStartArguments()];
    expect(operations.replaceAll('\n', ' ')).to.include(`\`${start.join(' ')}\``);
    const [command = ''] = /^CMD (.*)$/m.exec(await readDocument('Dockerfile'))?.slice(1) ?? [];
    expect(JSON.parse(command)).to.deep.equal(start);
    const [, unit = ''] = /^ExecStart=\/usr\/bin\/(.*)$/m.exec(operations.replaceAll(/ \\\n */g, ' ')) ?? [];
    expect(unit.replace(' --env-file=/etc/gamehost.env', '').split(' '), 'the unit file').to.deep.equal(
      start,
    );
  });

  for (const path of documents)
    it(`has no broken links in ${path}`, async () => {
      const links = [...(await readDocument(path)).matchAll(/\]\((?!http|#)([^)#]+)[^)]*\)/g)];
      const missing = links.filter(([, link = '']) => !existsSync(join(projectDir, dirname(path), link)));
      expect(links).not.to.deep.equal([]);
      expect(missing).to.deep.equal([]);
    });

  it('names only source files that there are', async () => {
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

  it('names one version in package.json, the changelog, the OpenAPI document and on the command line', async () => {
    const { version } = JSON.parse(await readDocument('package.json')) as { version: string };
    const changelog = await readDocument('.github/CHANGELOG.md');
    expect(/^## (\d\S+)/m.exec(changelog)?.[1], 'the changelog').to.equal(version);
    const { stdout } = await runCli(['openapi']);
    expect(JSON.parse(stdout).info.version, 'the OpenAPI document').to.equal(version);
    expect((await runCli(['--version'])).stdout, 'the command line').to.equal(`${version}\n`);
  });

  it('lists every error code with its status', () => {
    const listed = rowsOf(sectionOf(reference, 'Errors')).map(([status, code]) => [code, status]);
    for (const [code, { status }] of Object.entries(errorTable))
      expect(listed, code).to.deep.include([code, String(status)]);
  });

  it('lists every MCP tool with its endpoint and scope', () => {
    const listed = rowsOf(sectionOf(mcpGuide, 'Tools'));
    const missing = rows.flatMap(({ tool, method, path, scope }) => {
      const row = listed.find(([names]) => tool && names?.split(', ').includes(tool.name));
      const isWhole = row?.[1]?.split(', ').includes(`${method} ${path}`) && row[2] === scope;
      return tool && !isWhole ? `| \`${tool.name}\` | \`${method} ${path}\` | \`${scope}\` |` : [];
    });
    expect(missing, 'rows to add to the table of tools in bridge/mcp/README.md').to.deep.equal([]);
  });

  for (const [heading, count] of [
    ['Back up a server before a restart', 4],
    ['Repair a server that is down', 7],
    ['Open a ticket and read the answer', 8],
  ] as const)
    it(`names only tools that exist in "${heading}"`, async () => {
      const [, calls = ''] =
        /It calls ([^;]*)/s.exec(sectionOf(await readDocument('bridge/rest/stories.md'), heading)) ?? [];
      const named = [...calls.matchAll(/`(\w+_\w+)`/g)].map(([, name]) => name);
      expect(named).to.have.lengthOf(count);
      expect(rows.map(({ tool }) => tool?.name)).to.include.members(named);
    });

  it('lists every scope', () => {
    const listed = rowsOf(sectionOf(reference, 'Scopes')).map(([scope]) => scope);
    expect(listed, 'the table of scopes in bridge/rest/README.md').to.include.members(scopes);
  });

  it('lists every command of the command line', () => {
    const listed = sectionOf(operations, 'Command line');
    const commands = createProgram().commands.flatMap((noun) =>
      noun.commands.length === 0 ? noun.name() : noun.commands.map((verb) => `${noun.name()} ${verb.name()}`),
    );
    expect(commands.filter((command) => !RegExp(`\`${command}\\b`).test(listed))).to.deep.equal([]);
  });
});
