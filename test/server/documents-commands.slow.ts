/** The commands in the README and the guides run as written, with the responses shown. */
import { exec } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { builtPrograms } from '../support/built-programs.ts';
import { builtClient } from '../support/client.ts';
import { type Command, commandsOf, operationsGuide, readDocument, sectionOf } from '../support/documents.ts';
import { pickFieldsOf } from '../support/pick-fields.ts';
import { startProgram } from '../support/program.ts';

const run = promisify(exec);
const projectDir = fileURLToPath(new URL('../../', import.meta.url));

/** The tests that run the other commands. */
const runElsewhere: Record<string, RegExp> = {
  '.ci/run': /^npm (ci|run check|test)$/,
  'test/server/start.slow.ts': /^npm start$/,
  'test/clients/trpc-types.test.ts':
    /^(mkdir -p|npm pack|cd|npm init -y|npm install( --save-dev)?|npx tsx) (?!--prefix |--global |gamehost$)/,
  'test/clients/generators.test.ts': /^(npx openapi-typescript|pipx run openapi-python-client) /,
  'npm run conformance': /^npx -y -p node@22 -p @modelcontextprotocol\/inspector@/,
  'test/server/adopt.slow.ts':
    /^cp \.env\.example |^for name in MONGODB|^docker compose (run --rm|exec -T) api node \S+ (?!mcp )|^curl .* https:\/\/games\.example\/api\//,
  'test/bridge/discovery.test.ts': / mcp server-json --name /,
  'npm run test:deployed': /^docker compose (build|up) |^server\/rolling\.sh$/,
  'test/bridge/client/sign-in.test.ts': /^gamehost login /,
  'test/bridge/examples.slow.ts': /^npm install$|^[A-Z_]+=\S+ .*npm start$/,
  'by hand: they need programs, registries or users that are not on this machine':
    /^docker compose pull |^(claude|codex|gemini) mcp add |^npx @usebruno\/cli |^useradd |^install -m |^mcp-publisher |^gh release |^npm publish |^pipx run twine |^sudo -u gamehost |^(npm|pip) install (--global )?gamehost$|^npm ci && npm prune /,
};

const runHere = {
  'sets the environment of the others': /^export (GAMEHOST_KEY|GAMEHOST_URL|PATH)=/,
  requests: /^curl .*http:\/\/127\.0\.0\.1:3000\/api\//,
  uploads: /^curl -F files=@\S+ "UPLOAD_URL"$/,
  'command line': /^npm run -s cli -- /,
  client: /^npm install --prefix \.\.\/scripts |^gamehost (?!login )/,
};

const examples = ['nightly-backup', 'repair-agent', 'status-page', 'update-plugin'];
const readmeOf = (example: string) => `bridge/examples/${example}/README.md`;

describe('the commands in the documentation', () => {
  let readme: string;
  let stories: string;
  let diagnosis: string;
  let operations: string;
  let client: string;
  let others: string[];

  before(async () => {
    readme = await readDocument('README.md');
    stories = await readDocument('bridge/rest/stories.md');
    const agents = await readDocument('bridge/mcp/README.md');
    diagnosis = sectionOf(agents, 'Find out what is wrong with a server');
    operations = (await Promise.all(operationsGuide.map(readDocument))).join('\n');
    client = await readDocument('bridge/client/README.md');
    const paths = ['bridge/rest/README.md', 'bridge/trpc/README.md', '.github/CONTRIBUTING.md'];
    const ofCustomers = ['bridge/client/python/README.md', ...examples.map(readmeOf)];
    others = [agents, client, ...(await Promise.all([...paths, ...ofCustomers].map(readDocument)))];
  });

  it('are all run by a test, here or where the list shows', () => {
    const lines = [readme, stories, operations, ...others].flatMap(commandsOf).map(({ line }) => line);
    const kinds = Object.values({ ...runElsewhere, ...runHere });
    expect(lines.filter((line) => kinds.filter((kind) => kind.test(line)).length !== 1)).to.deep.equal([]);
    expect(kinds.filter((kind) => !lines.some((line) => kind.test(line)))).to.deep.equal([]);
  });

  it('run as written on fresh demo data and print the documented responses', async () => {
    const forOperators = ['Command line', 'Connect a billing system'];
    const sections = forOperators.map((heading) => sectionOf(operations, heading));
    const isMeant = (line: string) => isRunHere(line) && !runHere.client.test(line);
    await runOnDemo([readme, stories, diagnosis, ...sections], isMeant);
  });

  it("run as written with the client's command on fresh demo data", () =>
    runOnDemo([stories, diagnosis, client], (line) => runHere.client.test(line)));
});

async function runOnDemo(documents: string[], isMeant: (line: string) => boolean): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'gamehost-documents-'));
  const cwd = join(dir, 'checkout');
  await mkdir(join(cwd, 'dist'), { recursive: true });
  await writeFile(join(dir, 'password.txt'), 'correct horse battery\n');
  await writeFile(join(cwd, 'RaidTimer.jar'), 'a plugin');
  await symlink(join(projectDir, 'node_modules'), join(cwd, 'node_modules'), 'dir');
  await symlink(await builtClient(), join(cwd, 'dist/client'), 'dir');
  const program = await startProgram({ DATA_DIR: join(dir, 'data') });
  const PATH = `${join(dir, 'scripts/node_modules/.bin')}:${process.env['PATH']}`;
  const client = { GAMEHOST_URL: program.url, GAMEHOST_KEY: program.key ?? '' };
  const env = { PATH, HOME: dir, DATA_DIR: join(dir, 'data'), ...client };
  try {
    let backup = '';
    let upload = '';
    for (const { line, sample } of documents.flatMap(commandsOf).filter(({ line }) => isMeant(line))) {
      const filledIn = line.replace('BACKUP_UUID', backup).replace('UPLOAD_URL', upload);
      const output = await tryOut({ line: filledIn, sample }, { url: program.url, cwd, env });
      [, backup = backup] = /"backup":\{"uuid":"([^"]+)"/.exec(output) ?? [];
      [, upload = upload] = /"upload":\{"url":"([^"]+)"/.exec(output) ?? [];
    }
  } finally {
    await program.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

const isRunHere = (line: string) => Object.values(runHere).some((kind) => kind.test(line));

interface Place {
  url: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

async function tryOut({ line, sample }: Command, { url, ...options }: Place): Promise<string> {
  if (line.startsWith('export ')) return '';
  const isRequest = line.startsWith('curl ');
  const command = isRequest
    ? `${line.replaceAll('http://127.0.0.1:3000', url)} -sS --fail-with-body`
    : line.replace('npm run -s cli --', `"${process.execPath}" "${await builtPrograms()}cli.js"`);
  const { stdout } = await run(command, { ...options, shell: '/bin/bash', maxBuffer: 4 * 1024 * 1024 });
  if (isRequest)
    expect(pickFieldsOf(shapeOf(JSON.parse(stdout || '{}')), sample), line).to.deep.equal(shapeOf(sample));
  return stdout;
}

/** The parts that are equal at each start: without times, key prefixes, uuids, links and figures of servers. */
const shapeOf = (answer: object): object =>
  JSON.parse(JSON.stringify(answer), (field, value) =>
    /^(prefix|uuid|url|\w+_(at|bytes|percent|ms))$/.test(field) ? typeof value : value,
  );
