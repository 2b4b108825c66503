/** `user list` shows the users who match all filters, page by page. */
import { expect } from 'chai';
import { signInAccount } from '../../support/account.ts';
import { createCli } from '../../support/cli.ts';
import { useService } from '../../support/service.ts';

describe('npm run cli: user list', () => {
  const service = useService();
  const cli = createCli(() => ({ MONGODB_URI: service.databaseUri }));
  const listed = async (options: string): Promise<string[]> =>
    (await cli.json(`user list ${options}`.trim())).map(({ email }: { email: string }) => email);

  before(async () => {
    await service.addUser({ email: 'ada@one.example', isAdmin: true, isSupport: true });
    await service.addUser({ email: 'bea@one.example', isSupport: true });
    await service.addUser({ email: 'cy+games@two.example' });
    await service.addUser({ email: 'di@two.example' });
    await cli.json('user suspend --email di@two.example');
    await signInAccount(service.url, { email: 'cy+games@two.example' });
  });

  const filters: [options: string, emails: string[]][] = [
    ['--email ONE.example', ['ada@one.example', 'bea@one.example']],
    ['--email y+g', ['cy+games@two.example']],
    ['--email o.e.a', []],
    ['--search ONE', ['ada@one.example', 'bea@one.example']],
    ['--role admin', ['ada@one.example']],
    ['--role support', ['bea@one.example']],
    ['--role customer', ['cy+games@two.example', 'di@two.example']],
    ['--suspended', ['di@two.example']],
    ['--role customer --no-suspended', ['cy+games@two.example']],
    ['--never-signed-in', ['ada@one.example', 'bea@one.example', 'di@two.example']],
    ['--never-signed-in --email two', ['di@two.example']],
  ];
  for (const [options, emails] of filters)
    it(`${options}: shows only the users that match`, async () => {
      expect(await listed(options)).to.deep.equal(emails);
    });

  it('--search: matches several words, without regard to case or accents', async () => {
    const found = await cli.json(['user', 'list', '--search', ' Two  CŸ ']);
    expect(found.map(({ email }: { email: string }) => email)).to.deep.equal(['cy+games@two.example']);
  });

  it('shows how to get the next page, and nothing after the last', async () => {
    const first = await cli.text('user list --limit 2');
    const [, after] = /\n2 of 4 shown\. More: --after (\d+)\n$/.exec(first) ?? [];
    expect(await listed(`--limit 2 --after ${after}`)).to.deep.equal([
      'cy+games@two.example',
      'di@two.example',
    ]);
    expect(await cli.text(`user list --limit 2 --after ${after}`)).not.to.include('More');
  });
});
