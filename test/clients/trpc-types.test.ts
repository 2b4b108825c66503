/** The router's type in other repositories, from the client's package. */
import { expect } from 'chai';
import { wholeBuild } from '../support/built-programs.ts';
import { errorsIn, installClient, strict } from '../support/client.ts';
import { type ClientFolder, installFromNpm } from '../support/client-tools.ts';
import { readDocument, samplesOf } from '../support/documents.ts';
import { failureOf } from '../support/failure-of.ts';
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

const linesOfWrong = [5, 6, 7, 8, 9, 10, 11, 12].map((line) => `wrong.ts(${line})`);

const resolutions = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

const newestTypeScript = '7';

describe('the AppRouter type', () => {
  const folders = new Map<string, ClientFolder>();
  let program: Awaited<ReturnType<typeof startProgram>>;
  let built: string;

  before(async () => {
    const dist = await wholeBuild();
    built = `${dist}client/`;
    program = await startProgram({ DATA_DIR: `${dist}data` }, `exec node ${dist}server/main.js`);
    for (const version of ['5.9', newestTypeScript]) folders.set(version, await createFrontEnd(version));
  });
  after(() => program.stop());

  const createFrontEnd = async (version: string): Promise<ClientFolder> => {
    const packages = [`typescript@${version}`, '@trpc/client@11', '@trpc/server@11', '@types/node@20'];
    const folder = await installFromNpm(`trpc-types-${version}`, packages);
    await installClient(built, folder.path);
    const [example = ''] = samplesOf(await readDocument('bridge/trpc/README.md'), 'ts');
    await folder.write('example.ts', example);
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
        const compilerOptions = { ...strict, target: 'es2023', rootDir: '.', outDir: 'built', ...settings };
        await folder.write('tsconfig.json', JSON.stringify({ compilerOptions }));
        const failed = await failureOf(folder.run('tsc', ['--pretty', 'false']));
        expect(errorsIn((failed as Error & { stdout: string }).stdout)).to.deep.equal(linesOfWrong);
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
