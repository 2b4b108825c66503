/** The README and OPERATIONS.md are true: their commands run, their answers come, and their tables are whole. */
import { exec } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { errorTable } from '../../routers/errors.ts';
import { createProgram } from '../../server/cli/program.ts';
import { type Command, commandsOf, readDocument, rowsOf, sectionOf } from '../support/documents.ts';
import { startProgram } from '../support/program.ts';
import { startTestService } from '../support/service.ts';
import { readStartArguments } from '../support/start-command.ts';

const run = promisify(exec);
const projectDir = fileURLToPath(new URL('../../', import.meta.url));

/** Who tries the commands that are not tried here. */
const triedElsewhere: Record<string, RegExp> = {
  '.ci/run': /^npm (ci|run check|test)$/,
  'test/server/start.test.ts': /^npm start$/,
  'test/bridge/app-router-type.test.ts':
    /^(mkdir -p|npm pack|cd|npm init -y|npm install( --save-dev)?|npx tsx) /,
  'npm run conformance': /^npx -y -p node@22 -p @modelcontextprotocol\/inspector@/,
  'people who have these programs': /^(claude|codex) mcp add |^docker compose up /,
};

const triedHere: Record<string, RegExp> = {
  'the environment of all others': /^export GAMEHOST_KEY=/,
  requests: /^curl .*http:\/\/127\.0\.0\.1:3000\//,
  "operators' commands": /^npm run -s cli -- /,
};

describe('the documents', () => {
  let readme: string;
  let operations: string;

  before(async () => {
    readme = await readDocument('README.md');
    operations = await readDocument('server/OPERATIONS.md');
  });

  it('have no command that nobody tries, and the list of who tries them is of today', () => {
    const lines = [...commandsOf(readme), ...commandsOf(operations)].map(({ line }) => line);
    const kinds = Object.values({ ...triedElsewhere, ...triedHere });
    expect(lines.filter((line) => kinds.filter((kind) => kind.test(line)).length !== 1)).to.deep.equal([]);
    expect(kinds.filter((kind) => !lines.some((line) => kind.test(line)))).to.deep.equal([]);
  });

  it('have commands that run as written, one after the other on fresh demo data, and answer as shown', async function () {
    this.timeout(180_000);
    const dir = await mkdtemp(join(tmpdir(), 'gamehost-documents-'));
    await writeFile(join(dir, 'password.txt'), 'correct horse battery\n');
    await symlink(join(projectDir, 'node_modules'), join(dir, 'node_modules'), 'dir');
    const program = await startProgram({ DATA_DIR: join(dir, 'data') });
    const { PATH } = process.env;
    const env = { PATH, HOME: dir, DATA_DIR: join(dir, 'data'), GAMEHOST_KEY: program.key ?? '' };
    try {
      for (const command of commandsOf(readme).filter(({ line }) => isTriedHere(line)))
        await tryOut(command, { url: program.url, cwd: dir, env });
    } finally {
      await program.stop();
      await rm(dir, { recursive: true, force: true });
    }
  });

  it('tell of every script of package.json that is for people', async () => {
    const { scripts } = JSON.parse(await readDocument('package.json')) as { scripts: object };
    const told = sectionOf(readme, 'Development');
    const ownPlaces = ['prepare', 'build', 'start', 'cli'];
    const untold = Object.keys(scripts).filter((name) => !told.includes(`\`${name}\``));
    expect(untold.sort()).to.deep.equal(ownPlaces.sort());
    const named = [...`${readme}${operations}`.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name);
    expect(Object.keys(scripts)).to.include.members(named);
  });

  it('start the service as npm start does, in a container too', async () => {
    const start = ['node', ...readStartArguments()];
    expect(operations.replaceAll('\n', ' ')).to.include(`\`${start.join(' ')}\``);
    const [command = ''] = /^CMD (.*)$/m.exec(await readDocument('Dockerfile'))?.slice(1) ?? [];
    expect(JSON.parse(command)).to.deep.equal(start);
  });

  for (const path of ['README.md', 'server/OPERATIONS.md'])
    it(`link from ${path} to what is there`, async () => {
      const links = [...(await readDocument(path)).matchAll(/\]\((?!http|#)([^)#]+)[^)]*\)/g)];
      const missing = links.filter(([, link = '']) => !existsSync(join(projectDir, dirname(path), link)));
      expect(links).not.to.deep.equal([]);
      expect(missing).to.deep.equal([]);
    });

  it('list every error code with its status', () => {
    const listed = rowsOf(sectionOf(readme, 'What to know of the API')).map(([status, code]) => [
      code,
      status,
    ]);
    for (const [code, { status }] of Object.entries(errorTable))
      expect(listed, code).to.deep.include([code, String(status)]);
  });

  it("list every operators' command", () => {
    const listed = rowsOf(sectionOf(readme, "Operators' commands")).join(', ');
    const commands = createProgram().commands.flatMap((noun) =>
      noun.commands.length === 0 ? noun.name() : noun.commands.map((verb) => `${noun.name()} ${verb.name()}`),
    );
    expect(commands.filter((command) => !RegExp(`(^|, )${command}\\b`).test(listed))).to.deep.equal([]);
  });

  it('list every index', async () => {
    const service = await startTestService();
    const indexes = await service.models.listIndexes();
    await service.stop();
    const needed = indexes.map(({ collection, keys }) => [collection, Object.keys(keys).join(', ')] as const);
    let collection = '';
    const listed = rowsOf(sectionOf(operations, 'Indexes'))
      .slice(1)
      .map(([name, index = '']) => {
        collection = name || collection;
        return [collection, index.replace(/, (unique|ends .*)$/, '')];
      });
    expect(listed).to.have.deep.members(needed.filter(([, keys]) => keys !== '_id'));
  });
});

const isTriedHere = (line: string) => Object.values(triedHere).some((kind) => kind.test(line));

/** The command line from source. */
const cli = `"${process.execPath}" --import tsx "${projectDir}server/cli.ts"`;

interface Place {
  url: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

async function tryOut({ line, sample }: Command, { url, ...options }: Place): Promise<void> {
  if (line.startsWith('export ')) return;
  const isRequest = line.startsWith('curl ');
  const command = isRequest
    ? `${line.replaceAll('http://127.0.0.1:3000', url)} -sS --fail-with-body`
    : line.replace('npm run -s cli --', cli);
  const { stdout } = await run(command, { ...options, shell: '/bin/bash', maxBuffer: 4 * 1024 * 1024 });
  if (isRequest) expect(shapeOf(JSON.parse(stdout)), line).to.deep.include(shapeOf(sample));
}

/** What stays the same from one start to the next: all but times and prefixes of keys. */
const shapeOf = (answer: object): object =>
  JSON.parse(JSON.stringify(answer), (field, value) =>
    /^(prefix|\w+_at)$/.test(field) ? typeof value : value,
  );
