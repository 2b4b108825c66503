/** The published type of the router, as a front end in another repository has it; and the README's example, as written. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createFrontEnd } from '../support/front-end.ts';
import { panelServer } from '../support/proper-panel.ts';
import { startTestService, type TestService } from '../support/service.ts';

const wrong = `
import { createTRPCClient, httpLink, isTRPCClientError } from '@trpc/client';
import type { AppRouter } from 'gamehost';
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

describe('the AppRouter type that the package exports', function () {
  this.timeout(120_000);
  let frontEnd: Awaited<ReturnType<typeof createFrontEnd>>;
  let service: TestService;
  let errors: string[];

  before(async () => {
    service = await startTestService();
    frontEnd = await createFrontEnd();
    await frontEnd.write('example.ts', await exampleOf('Call it from TypeScript'));
    await frontEnd.write('wrong.ts', wrong.trimStart());
    errors = await frontEnd.build();
  });
  after(async () => {
    await service.stop();
    await frontEnd.remove();
  });

  it('is all that is packed: one file, which needs @trpc/server and nothing of ours', async () => {
    const files = await readdir(frontEnd.packageDir, { recursive: true });
    const declarations = join('dist', 'routers', 'index.d.ts');
    expect(files.filter((file) => !file.startsWith('dist')).sort()).to.deep.equal([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(files.filter((file) => /\.\w+$/.test(file) && file.startsWith('dist'))).to.deep.equal([
      declarations,
    ]);
    const text = await readFile(join(frontEnd.packageDir, declarations), 'utf8');
    const imported = [...text.matchAll(/(?:from |import\()["']([^"']+)["']/g)].map(([, name]) => name);
    expect([...new Set(imported)]).to.deep.equal(['@trpc/server']);
  });

  it("lets the README's example through", () => {
    expect(errors.filter((error) => !error.startsWith('wrong.ts'))).to.deep.equal([]);
  });

  it('refuses wrong fields, inputs, procedures, those of the account page, and error codes', () => {
    expect(errors.filter((error) => error.startsWith('wrong.ts'))).to.deep.equal([
      'wrong.ts(5) TS2339',
      'wrong.ts(6) TS2322',
      'wrong.ts(7) TS2345',
      'wrong.ts(8) TS2322',
      'wrong.ts(9) TS2339',
      'wrong.ts(10) TS2339',
      'wrong.ts(11) TS2339',
      'wrong.ts(12) TS2367',
    ]);
  });

  it("runs the README's example against the service", async () => {
    const { secret } = await service.addKey({
      user: await service.addUser({ email: 'dana@example.com', panelUserId: 7 }),
    });
    service.panel.servers.set(7, [panelServer({ name: 'Wuhu' }), panelServer({ id: 6, name: 'Delfino' })]);
    const [servers, ticket, failure, ...rest] = await frontEnd.run('example.js', {
      GAMEHOST_URL: service.url,
      GAMEHOST_KEY: secret,
    });
    expect(servers).to.equal('dana@example.com has 2 servers: Wuhu, Delfino');
    expect(ticket).to.match(/^Ticket \d+ is New$/);
    expect(failure).to.match(/^not_found: Game not found \(request [0-9a-f]{32}\)$/);
    expect(rest).to.deep.equal([]);
  });
});

/** The first block of TypeScript under a heading of the README. */
async function exampleOf(heading: string): Promise<string> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, section = ''] = readme.split(`## ${heading}\n`);
  const [, example] = /```ts\n(.*?)```/s.exec(section) ?? [];
  if (!example) throw new Error(`The README has no example under "${heading}"`);
  return example;
}
