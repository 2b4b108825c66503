/** The router's type in other repositories, from the client's package. */
import { expect } from 'chai';
import { wholeBuild } from '../support/built-programs.ts';
import { type ClientFolder, installFromNpm } from '../support/client-tools.ts';
import { readDocument, sectionOf } from '../support/documents.ts';
import { startProgram } from '../support/program.ts';

const wrong = `
import { createTRPCClient, httpLink, isTRPCClientError } from '@trpc/client';
import type { AppRouter } from 'gamehost/trpc';
const api = createTRPCClient<AppRouter>({ links: [httpLink({ url: 'http://127.0.0.1' })] });
const { user } = await api.account.me.query();
user.shoe_size;
const name: string = user.nickname;
await api.tickets.create.mutate({ title: 'No message' });
await api.servers.power.mutate({ server_identifier: 'a', signal: 'kill' });
await api.servers.explode.mutate();
await api.keys.list.query();
await api.session.signOut.mutate();
await api.account.me.query().catch((error) => isTRPCClientError<AppRouter>(error) && error.data?.code === 'teapot');
`;

/** The lines with errors: releases of TypeScript differ in the error codes. */
const linesOfWrong = [5, 6, 7, 8, 9, 10, 11, 12].map((line) => `wrong.ts(${line})`);

const resolutions = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

const newestTypeScript = '7';

describe('the AppRouter type', () => {
  const folders = new Map<string, ClientFolder>();
  let program: Awaited<ReturnType<typeof startProgram>>;
  let packed: string;

  before(async () => {
    const dist = await wholeBuild();
    packed = `${dist}client/`;
    program = await startProgram({ DATA_DIR: `${dist}data` }, `exec node ${dist}server/main.js`);
    for (const version of ['5.9', newestTypeScript]) folders.set(version, await createFrontEnd(version));
  });
  after(() => program.stop());

  const createFrontEnd = async (version: string): Promise<ClientFolder> => {
    const packages = [`typescript@${version}`, '@trpc/client@11', '@trpc/server@11', '@types/node@20'];
    const folder = await installFromNpm(`trpc-types-${version}`, packages);
    const tarball = await folder.run('npm', ['pack', packed, '--silent']);
    await folder.run('mkdir', ['-p', 'node_modules/gamehost']);
    const target = ['-C', 'node_modules/gamehost', '--strip-components=1'];
    await folder.run('tar', ['-xzf', tarball.trim(), ...target]);
    await folder.write('example.ts', await exampleOf('bridge/trpc/README.md', 'TypeScript'));
    await folder.write('wrong.ts', wrong.trimStart());
    return folder;
  };

  const folderOf = (version: string): ClientFolder => {
    const folder = folders.get(version);
    if (!folder) throw new Error(`There is no front end with TypeScript ${version}`);
    return folder;
  };

  for (const version of ['5.9', newestTypeScript])
    for (const [resolution, settings] of Object.entries(resolutions))
      it(`accepts the README's example and rejects wrong calls in TypeScript ${version}, ${resolution}`, async () => {
        const folder = folderOf(version);
        await folder.write('tsconfig.json', JSON.stringify({ compilerOptions: { ...strict, ...settings } }));
        expect(await errorsIn(folder)).to.deep.equal(linesOfWrong);
      });

  it("runs the README's example against the demo", async () => {
    const env = { GAMEHOST_URL: program.url, GAMEHOST_KEY: program.key ?? '' };
    const printed = await folderOf(newestTypeScript).run('node', ['built/example.js'], env);
    const [servers, ticket, failure, ...rest] = printed.trim().split('\n');
    expect(servers).to.match(/^demo@example\.com has \d+ servers: \w/);
    expect(ticket).to.match(/^Ticket \d+ is New$/);
    expect(failure).to.match(/^not_found: Game not found \(request [0-9a-f]{32}\)$/);
    expect(rest).to.deep.equal([]);
  });
});

const strict = {
  strict: true,
  skipLibCheck: false,
  target: 'es2023',
  types: ['node'],
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  rootDir: '.',
  outDir: 'built',
};

/** Compiles the folder; resolves to the errors as "file.ts(line)". */
async function errorsIn(folder: ClientFolder): Promise<string[]> {
  const printed = await folder
    .run('tsc', ['--pretty', 'false'])
    .catch((failure: { stdout: string }) => failure.stdout);
  return [...printed.matchAll(/^(\S+\(\d+),\d+\): error /gm)].map(([, place]) => `${place})`);
}

/** The first TypeScript block under a heading of a document. */
async function exampleOf(path: string, heading: string): Promise<string> {
  const section = sectionOf(await readDocument(path), heading);
  const [, example] = /```ts\n(.*?)```/s.exec(section) ?? [];
  if (!example) throw new Error(`${path} has no example under "${heading}"`);
  return example;
}
