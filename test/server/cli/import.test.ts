/** `user`, `subscription` and `game import` apply all lines or none, and print every mistake. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createCli } from '../../support/cli.ts';
import { useDirectory } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { sampleGame } from '../../support/samples.ts';
import { useService } from '../../support/service.ts';

describe('npm run cli: import', () => {
  const service = useService();
  const directory = useDirectory();
  const cli = createCli(() => ({ MONGODB_URI: service.databaseUri }));

  async function fileOf(...lines: (object | string)[]): Promise<string> {
    const path = join(directory.path, 'import.ndjson');
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    await writeFile(path, text);
    return path;
  }
  const importUsers = async (...lines: (object | string)[]) =>
    cli.json(['user', 'import', await fileOf(...lines)]);
  const refusal = async (noun: string, ...lines: (object | string)[]) => {
    const message = await cli.refusal([noun, 'import', await fileOf(...lines)]);
    const [heading, ...mistakes] = message.split('\n').map((line) => line.trim());
    expect(heading).to.match(/import\.ndjson was not imported:$/);
    return mistakes;
  };
  const user = (number: number) => ({ external_id: `c${number}`, email: `C${number}@example.com` });
  const countUsers = () => service.connection.collection('users').countDocuments();

  it('user: creates more users than one batch holds, changes some, and leaves the others', async () => {
    const users = Array.from({ length: 1201 }, (_, number) => user(number));
    expect(await importUsers(...users)).to.deep.equal({ created: 1201, changed: 0, unchanged: 0 });
    const changed = { ...user(1200), nickname: 'last', active: false };
    expect(await importUsers(user(0), '', changed)).to.deep.equal({ created: 0, changed: 1, unchanged: 1 });
    const stored = await service.models.users.findByExternalId('c1200');
    expect(stored).to.deep.include({ email: 'c1200@example.com', nickname: 'last', isActive: false });
    const ids = await service.connection.collection('users').distinct('_id');
    expect(new Set(ids).size).to.equal(1201);
  });

  it('user: accepts lines up to 64 KiB anywhere in the file and refuses longer ones', async () => {
    const padded = (number: number, length: number) => JSON.stringify(user(number)).padEnd(length);
    const longest = padded(1, 64 * 1024);
    for (const lines of [[longest], ['', '', longest], [padded(0, 40_000), longest, padded(2, 40_000)]])
      expect((await importUsers(...lines)).created).to.be.at.least(0);
    for (const before of [[], [''], [padded(0, 40_000)], [padded(0, 64_000), padded(2, 64_000)]]) {
      const mistakes = await refusal('user', ...before, `${longest} `, padded(3, 100), '{');
      expect(mistakes[0]).to.equal(`line ${before.length + 1}: is longer than 64 KiB`);
      expect(mistakes[1]).to.match(new RegExp(`^line ${before.length + 3}: is not JSON: `));
    }
  });

  it('user: prints the first five lines with equal mistakes, and how many more there are', async () => {
    const wrong = { ...user(1), nickname: 5 };
    const mistakes = await refusal('user', ...Array.from({ length: 1000 }, () => wrong), {
      ...user(2),
      is: 1,
    });
    expect(mistakes).to.deep.equal([
      ...[1, 2, 3, 4, 5].map((line) => `line ${line}: nickname must be a string`),
      'line 1001: is is not a known field',
      'and 995 more: nickname must be a string',
    ]);
  });

  it('user: prints the first 200 different mistakes, and how many more there are', async () => {
    const lines = Array.from({ length: 1000 }, (_, number) => ({ ...user(number), [`is${number}`]: 1 }));
    const mistakes = await refusal('user', ...lines);
    expect(mistakes).to.have.lengthOf(201);
    expect(mistakes.at(-1)).to.equal('and 800 more');
  });

  it('user: treats an internationalized domain like its ASCII form', async () => {
    expect(await importUsers({ external_id: 'idn', email: 'Joerg@Bücher.example' })).to.include({
      created: 1,
    });
    const stored = await service.models.users.findByExternalId('idn');
    expect(stored?.email).to.equal('joerg@xn--bcher-kva.example');
  });

  const encodings: [name: string, bytes: (text: string) => Buffer][] = [
    ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['big-endian UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ];
  for (const [name, bytes] of encodings)
    it(`user: reads a file in ${name}, with Windows line breaks`, async () => {
      const path = await fileOf();
      const nickname = `Zoë 🎮 ${name}`;
      const lines = [1, 2].map((number) => JSON.stringify({ ...user(number), nickname }));
      await writeFile(path, bytes(`${lines.join('\r\n')}\r\n`));
      await cli.json(['user', 'import', path]);
      for (const id of ['c1', 'c2'])
        expect(await service.models.users.findByExternalId(id)).to.include({ nickname });
    });

  it('refuses a file or standard input in another encoding, and names the encoding', async () => {
    const path = await fileOf();
    const latin = Buffer.from(JSON.stringify({ ...user(1), nickname: 'Zoë' }), 'latin1');
    const unmarked = Buffer.from(JSON.stringify(user(1)), 'utf16le');
    for (const noun of ['user', 'subscription', 'game']) {
      await writeFile(path, latin);
      const message = await cli.refusal([noun, 'import', path]);
      expect(message).to.equal(`${path} is not UTF-8; save it as UTF-8`);
      await writeFile(path, unmarked);
      expect(await cli.refusal([noun, 'import', path])).to.equal(
        `${path} is UTF-16 without a byte order mark, or not text; save it as UTF-8`,
      );
    }
    const add = 'user add --email ada@example.com --password -';
    const { code, stderr } = await cli.run(add, 'pässword of ada\n', 'latin1');
    expect([code, stderr]).to.deep.equal([1, 'error: standard input is not UTF-8; save it as UTF-8\n']);
  });

  it('user: treats empty names as missing, and trims addresses', async () => {
    const names = { first_name: '', last_name: ' ', nickname: '', chat_id: '', chat_username: '' };
    const email = ' Blank@example.com\t';
    await importUsers({ external_id: 'blank', email, ...names, chat_avatar_url: '' });
    expect(await service.models.users.findByExternalId('blank')).to.include({
      ...{ email: 'blank@example.com', firstName: null, lastName: null, nickname: null },
      ...{ chatId: null, chatUsername: null, chatAvatarUrl: null },
    });
  });

  it('user: lets users swap or hand over addresses and panel users, in any order of lines', async () => {
    const emails = Array.from({ length: 600 }, (_, number) => `swap${number}@example.com`);
    const swapped = (shift: number) =>
      emails.map((_, number) => ({
        external_id: `s${number}`,
        email: emails[(number + shift) % emails.length],
        panel_user_id: 5000 + ((number + shift) % emails.length),
      }));
    await importUsers(...swapped(0));
    expect(await importUsers(...swapped(1))).to.deep.equal({ created: 0, changed: 600, unchanged: 0 });
    const heir = { external_id: 'heir', email: 'swap1@example.com', panel_user_id: 5001 };
    const donor = { external_id: 's0', email: 'other@example.com', panel_user_id: null };
    expect(await importUsers(heir, donor)).to.deep.equal({ created: 1, changed: 1, unchanged: 0 });
    const stored = async (id: string) => {
      const { email, panelUserId } = (await service.models.users.findByExternalId(id)) ?? {};
      return [email, panelUserId];
    };
    expect([await stored('s599'), await stored('heir'), await stored('s0')]).to.deep.equal([
      ...[
        ['swap0@example.com', 5000],
        ['swap1@example.com', 5001],
        ['other@example.com', null],
      ],
    ]);
  });

  it("user: keeps everyone's address if a swap is refused", async () => {
    await service.addUser({ email: 'held@example.com' });
    const users = [1, 2].map((number) => ({
      external_id: `k${number}`,
      email: `keep${number}@example.com`,
    }));
    await importUsers(...users);
    const [one, two] = users.map(({ external_id }) => external_id);
    const mistakes = await refusal(
      'user',
      { external_id: one, email: 'keep2@example.com' },
      { external_id: two, email: 'held@example.com' },
    );
    expect(mistakes).to.deep.equal(['line 2: email belongs to another user']);
    for (const { external_id, email } of users)
      expect((await service.models.users.findByExternalId(external_id))?.email).to.equal(email);
  });

  it('user: changes nothing and prints every wrong line', async () => {
    const before = await countUsers();
    const mistakes = await refusal(
      'user',
      { external_id: 'new', email: 'new@example.com' },
      '{"external_id":',
      { external_id: 'a b', email: 'a@example.com' },
      { external_id: 'new', email: 'other@example.com' },
      { external_id: 'newer', email: 'NEW@example.com' },
      { external_id: 'x', email: 'x@example.com', admin: true },
    );
    expect(mistakes[0]).to.match(/^line 2: is not JSON: /);
    expect(mistakes.slice(1)).to.deep.equal([
      'line 3: external_id must consist of A-Z a-z 0-9 . _ : @ -',
      'line 4: external_id is the same as in line 1',
      'line 5: email is the same as in line 1',
      'line 6: admin is not a known field',
    ]);
    expect(await countUsers()).to.equal(before);
  });

  it('user: changes nothing and prints malformed lines and those whose address or panel user is taken', async () => {
    await service.addUser({ email: 'staff@example.com', panelUserId: 7, isAdmin: true });
    const before = await countUsers();
    const mistakes = await refusal(
      'user',
      { external_id: 'a b', email: 'a@example.com' },
      '',
      { external_id: 'left', email: 'left@example.com', panel_user_id: 70 },
      { external_id: 'right', email: 'right@example.com', panel_user_id: 70 },
      { external_id: 'thief', email: 'thief@example.com', panel_user_id: 7 },
      { external_id: 'newer', email: 'staff@example.com' },
    );
    expect(mistakes).to.deep.equal([
      'line 1: external_id must consist of A-Z a-z 0-9 . _ : @ -',
      'line 4: panel_user_id belongs to another user',
      'line 5: panel_user_id belongs to another user',
      'line 6: email belongs to another user',
    ]);
    expect(await countUsers()).to.equal(before);
  });

  it('subscription: creates and changes, and prints malformed lines together with those of unknown users', async () => {
    await importUsers(user(1));
    const line = { provider_id: 'prov_1', user: 'c1', status: 'active' };
    const importOne = async () => cli.json(['subscription', 'import', await fileOf(line)]);
    expect(await importOne()).to.deep.equal({ created: 1, changed_or_unchanged: 0 });
    expect(await importOne()).to.deep.equal({ created: 0, changed_or_unchanged: 1 });
    const details = { name: 'Survival 8 GB', price: '€12.00 a month' };
    const renewal = { renews_at: '2026-12-01T00:00:00Z' };
    await cli.json(['subscription', 'import', await fileOf({ ...line, ...details, ...renewal })]);
    await cli.json(['subscription', 'import', await fileOf({ ...line, price: null })]);
    const mistakes = await refusal(
      'subscription',
      { ...line, status: 'canceled' },
      { provider_id: 'prov_2', user: 'nobody', status: 'active' },
    );
    expect(mistakes).to.deep.equal(['line 2: user does not exist']);
    const all = await refusal(
      'subscription',
      { provider_id: 'prov_3', user: 'nobody', status: 'active' },
      { ...line, state: 'active' },
      '',
      { provider_id: 'prov_4', user: 'c1', status: 'active' },
      { provider_id: 'prov_4', user: 'c1', status: 'ended' },
      { provider_id: 'prov_5', user: 'nobody', status: 'active' },
    );
    expect(
      all.map((mistake) => mistake.replace(/(line \d+: ).*(is not a known field).*/, '$1$2')),
    ).to.deep.equal([
      'line 1: user does not exist',
      'line 2: is not a known field',
      'line 5: provider_id is the same as in line 4',
      'line 6: user does not exist',
    ]);
    const stored = await service.connection.collection('subscriptions').find().toArray();
    expect(stored).to.have.lengthOf(1);
    expect(stored[0]).to.include({ name: 'Survival 8 GB', status: 'active', price: null });
    expect(stored[0]?.['renewsAt']).to.deep.equal(new Date(renewal.renews_at));
  });

  describe('game', () => {
    const { _id, isActive, ...fields } = sampleGame;
    const game = { ...fields, slug: 'minecraft', title: 'Minecraft' };
    const [plan] = game.plans;
    let key: string;
    before(async () => {
      ({ secret: key } = await service.addKey());
    });

    async function fileWith(content: unknown, name = 'games.json'): Promise<string> {
      const path = join(directory.path, name);
      await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    }
    const importGames = async (content: unknown) => cli.json(['game', 'import', await fileWith(content)]);
    const shown = async () => (await service.call('GET', '/catalog/games', { key })).body.games;

    it('adds and replaces games by slug and leaves other games unchanged', async () => {
      expect(await importGames([game, { slug: 'rust', title: 'Rust' }])).to.deep.equal({
        added: 2,
        replaced: 0,
      });
      const [minecraft, rust] = await eventually(async () => {
        const games = await shown();
        expect(games).to.have.length(2);
        return games;
      });
      expect(minecraft).to.deep.equal(game);
      expect(rust).to.include({ slug: 'rust', description: null }).and.deep.include({ plans: [] });

      const renamed = { ...game, title: 'Minecraft 2', plans: [] };
      const hidden = { slug: 'ark', title: 'ARK', active: false };
      const path = await fileWith(`\ufeff${JSON.stringify([renamed, hidden])}`);
      expect(await cli.text(['game', 'import', path])).to.equal('Imported 2 games: 1 added, 1 replaced.\n');
      await eventually(async () => expect(await shown()).to.deep.equal([renamed, rust]));
      const single = await fileWith([hidden]);
      expect(await cli.text(['game', 'import', single])).to.equal('Imported 1 game: 0 added, 1 replaced.\n');
      expect((await service.call('GET', '/catalog/games/ark', { key })).status).to.equal(404);
    });

    it('changes nothing if there is a mistake, and prints the game, field and rule of each', async () => {
      const before = await shown();
      const path = await fileWith([
        { slug: 'valheim', title: 'Valheim' },
        { slug: '../etc', title: ' ', shortdesc: 'x' },
        { ...game, plans: [plan, { ...plan, price: 4.99, popular: 'yes', feature: [] }] },
        { slug: 'valheim', title: 'Valheim again' },
        'rust',
        { title: 'No slug', description: 'a\0b' },
      ]);
      const message = await cli.refusal(['game', 'import', path]);
      const [heading, ...places] = message.split('\n').map((line) => line.trim());
      expect(heading).to.match(/games\.json was not imported \(games are counted from 0\):$/);
      expect(places).to.have.members([
        'game 1.slug must be 1 to 100 letters, digits, dots, underscores and hyphens, beginning with a letter or digit',
        'game 1.title must not be empty',
        'game 1.shortdesc is not a known field',
        'game 2.plans.1.price must be a string',
        'game 2.plans.1.popular must be true or false',
        'game 2.plans.1.feature is not a known field',
        'game 3.slug is the same as 0.slug',
        'game 4 must be an object',
        'game 5.slug is required',
        'game 5.description must not contain NUL characters',
      ]);
      expect(await shown()).to.deep.equal(before);
    });

    it('refuses a file that is not a JSON array', async () => {
      const paths = [
        await fileWith({ games: [game] }, 'object'),
        await fileWith('[{"slug":\n', 'half'),
        join(directory.path, 'none'),
      ];
      const [object, half, none] = await cli.refusals(paths.map((path) => ['game', 'import', path]));
      expect(object).to.match(/object is not a JSON array of games$/);
      expect(half).to.match(/half is not JSON: .*JSON/);
      expect(none).to.match(/there is no file/);
    });
  });
});
