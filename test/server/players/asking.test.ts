/** Which games get player queries, and how many at once. */
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import { isAlwaysForbidden, isPrivateIp } from '../../../server/outbound/addresses.ts';
import { minecraftStatus } from '../../../server/panel/demo/status-server.ts';
import {
  answerAsSource,
  startBedrock,
  startMinecraft,
  startSource,
  startTcpGame,
  startWithConsole,
} from '../../support/games.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { type Allocation, serverAt, useServerWithGames } from '../../support/server-with-games.ts';

const noAddress = 'The server has no address that can be asked.';
const noAnswer = 'The game did not answer.';

describe('player queries', () => {
  const { service, play, serve, players } = useServerWithGames();
  /** A closed port refuses at once. */
  const closed: Allocation = { ip: '127.0.0.2', port: 1 };
  const unreachable = '127.255.255.255';

  it('go to the default allocation and five others', async () => {
    const game = await play(startMinecraft({ online: 2, max: 20 }));
    serve(closed, closed, closed, closed, closed, closed, game);
    expect(await players()).to.include({ reason: noAnswer });
    expect(game.asked).to.equal(0);
    serve(closed, closed, closed, closed, closed, game);
    expect(await players()).to.include({ online: 2 });
  });

  it('also go to ::1 if the panel is on this machine', async () => {
    serve({ ip: '::1', port: 1 });
    expect(await players()).to.include({ reason: noAnswer });
  });

  it('go to no address with a zone', async () => {
    serve({ ip: 'fe80::1%lo', port: 1 });
    expect(await players()).to.include({ reason: noAddress });
  });

  it('count a port that does not exist as silent', async () => {
    for (const port of [0, 65_535]) {
      serve({ port });
      expect(await players(), String(port)).to.include({ reason: noAnswer });
    }
  });

  describe('at the port after that of the players', () => {
    const source = { players: 5, max: 16, names: ['gaben'] };
    const found = { online: 5, max: 16, names: ['gaben'] };
    const unknown = { online: null, max: null, names: null };
    const shownAt = async (port: number) => {
      service.clock.advance(600_000);
      service.panel.servers.set(7, [serverAt([{ port }])]);
      const { online, max, names } = await players();
      return { online, max, names };
    };

    it("accept an answer that names the players' port, and not one that names another", async () => {
      const extra = { port: 0 };
      const game = await play(startSource(source, { extra }));
      extra.port = game.port;
      expect(await shownAt(game.port - 1)).to.deep.equal(unknown);
      extra.port = game.port - 1;
      expect(await shownAt(game.port - 1)).to.deep.equal(found);
    });

    it('accept an answer without a port if no other server of the panel is there, checked once in minutes', async () => {
      const game = await play(startSource(source));
      service.panel.forget();
      for (let looks = 0; looks < 3; looks += 1) {
        service.panel.servers.set(7, [serverAt([{ port: game.port - 1 }])]);
        expect(await players()).to.deep.include(found);
        service.clock.advance(20_000);
      }
      const asked = service.panel.requests.filter(({ path }) => path.includes('/nodes/1/allocations'));
      expect(asked.map(({ headers }) => headers.authorization)).to.deep.equal([
        `Bearer ${service.panel.applicationKey}`,
      ]);
    });

    it('reject an answer if the panel has another server there, or does not answer', async () => {
      const game = await play(startSource(source));
      for (const ip of ['127.0.0.1', '0.0.0.0']) {
        service.panel.servers.set(8, [serverAt([{ ip, port: game.port }], { identifier: 'other' })]);
        expect(await shownAt(game.port - 1), ip).to.deep.equal(unknown);
      }
      service.panel.servers.set(8, [
        serverAt([{ ip: '127.0.0.9', port: game.port }], { identifier: 'other' }),
      ]);
      expect(await shownAt(game.port - 1)).to.deep.equal(found);
      service.panel.conditions.deniedResources.add('allocations');
      expect(await shownAt(game.port - 1)).to.deep.equal(unknown);
    });

    it('reject an answer at an alias if another server has that port at any address', async () => {
      const game = await play(startSource(source));
      const forwarded = { ip: unreachable, alias: 'localhost', port: game.port - 1 };
      serve(forwarded);
      expect(await players()).to.deep.include(found);
      service.clock.advance(600_000);
      service.panel.servers.set(8, [
        serverAt([{ ip: '127.0.0.9', alias: 'localhost', port: game.port }], { identifier: 'other' }),
      ]);
      expect(await players()).to.deep.include(unknown);
    });

    it('accept an answer if the port also belongs to the server', async () => {
      const game = await play(startSource(source));
      serve({ port: game.port - 1 }, { port: game.port });
      expect(await players()).to.include({ online: 5 });
    });
  });

  describe('at an alias', () => {
    it('use it if the address has no route, and remember that', async () => {
      for (const start of [() => startMinecraft({ online: 2, max: 20 }), () => startBedrock(2, 20)]) {
        const game = await play(start());
        serve({ ip: unreachable, alias: 'localhost', port: game.port });
        expect(await players()).to.include({ online: 2 });
        game.asked = 0;
        service.clock.advance(20_000);
        expect(await players()).to.include({ online: 2 });
        expect(game.asked).to.equal(1);
      }
    });

    it('use it in addition to a private address', async () => {
      const game = await play(startMinecraft({ online: 2, max: 20 }));
      // An address of this machine, so that no query leaves it.
      const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
      for (const { address } of own.filter(({ address: ip }) => isPrivateIp(ip) && !isAlwaysForbidden(ip))) {
        serve({ ip: address, alias: 'localhost', port: game.port });
        expect(await players(), address).to.include({ online: 2 });
      }
      for (const ip of [
        '10.0.0.1',
        '100.64.0.1',
        '100.127.255.254',
        '172.31.0.1',
        '192.168.1.1',
        'fd00::1',
        'fc00::1',
      ])
        expect(isPrivateIp(ip), ip).to.equal(true);
      for (const ip of ['100.128.0.1', '172.32.0.1', '127.0.0.1', '203.0.113.7', '2001:db8::1'])
        expect(isPrivateIp(ip), ip).to.equal(false);
    });

    it('do not use it for an address with a route that nothing answers at', async () => {
      const game = await play(startMinecraft({ online: 2, max: 20 }));
      serve({ ip: '127.0.0.2', alias: 'localhost', port: game.port });
      expect(await players()).to.include({ online: null, reason: noAnswer });
      expect(game.asked).to.equal(0);
    });
  });

  describe('with the Minecraft protocol', () => {
    const source = { players: 5, max: 16, names: null };

    it('do not run if a Source game answers, as the port may be its remote console', async () => {
      const game = await play(startWithConsole(answerAsSource(source)));
      serve(game);
      for (let looks = 0; looks < 3; looks += 1) {
        expect(await players()).to.include({ online: 5 });
        service.clock.advance(20_000);
      }
      expect(game.console.asked).to.equal(0);
    });

    it('do not run if a Source game is briefly silent and its server does not run Java', async () => {
      let isSilent = false;
      const answer = answerAsSource(source);
      const game = await play(startWithConsole((question) => (isSilent ? [] : answer(question))));
      resetPanel(service, [
        serverAt([game], { container: { startup_command: './srcds_run', image: 'games:source' } }),
      ]);
      expect(await players()).to.include({ online: 5 });
      isSilent = true;
      service.clock.advance(60_000);
      expect(await players()).to.include({ online: null, reason: noAnswer });
      expect(game.console.asked).to.equal(0);
    });

    it('also go to servers without Java once the other protocols get no answer', async () => {
      const game = await play(startMinecraft({ online: 2, max: 20 }));
      resetPanel(service, [
        serverAt([game], { container: { startup_command: './pumpkin', image: 'rust:1' } }),
      ]);
      expect(await players()).to.include({ online: 2 });
    });
  });

  it('become rarer while games do not answer, and regular once they do', async () => {
    let isSilent = false;
    const status = minecraftStatus({ players: { online: 1, max: 20 } });
    const game = await play(startTcpGame((socket) => (isSilent ? socket.destroy() : socket.end(status))));
    serve(game);
    expect(await players()).to.include({ online: 1 });
    service.clock.advance(60_000);
    isSilent = true;
    const askedAt: number[] = [];
    const begunAt = service.clock.now();
    const lookFor = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        const before = game.asked;
        await players();
        if (game.asked > before) askedAt.push(Math.floor((service.clock.now() - begunAt) / 60_000));
        service.clock.advance(60_000);
      }
    };
    await lookFor(30);
    expect(askedAt).to.deep.equal([0, 1, 3, 7, 15, 23]);
    isSilent = false;
    await lookFor(3);
    expect(askedAt.slice(6)).to.deep.equal([31, 32]);
  });

  /** Owners with this number of servers each request all states at once; resolves to the largest number of waiting games. */
  async function mostAtOnce(owners: number, serversOfEach: number) {
    let waiting = 0;
    let most = 0;
    const answerLater = (socket: Socket) => {
      waiting += 1;
      most = Math.max(most, waiting);
      // A query keeps its place until it is answered, and all allowed queries run at once.
      setTimeout(() => {
        waiting -= 1;
        socket.end(minecraftStatus({ players: { online: 1, max: 20 } }));
      }, 200);
    };
    resetPanel(service, []);
    const keys = await Promise.all(
      Array.from({ length: owners }, async (_, owner) => {
        const panelUserId = 100 + owner;
        const games = Array.from({ length: serversOfEach }, () => play(startTcpGame(answerLater)));
        const servers = (await Promise.all(games)).map((game, index) =>
          serverAt([game], { identifier: `s${owner}n${index}` }),
        );
        service.panel.servers.set(panelUserId, servers);
        return (await service.addKey({ user: await service.addUser({ panelUserId }) })).secret;
      }),
    );
    const ask = (query: string) =>
      Promise.all(keys.map((key) => service.call('GET', `/servers/states${query}`, { key })));
    await ask('');
    await ask('?figures=true');
    return most;
  }

  it('run at most five at a time for one owner', async () => {
    expect(await mostAtOnce(1, 8)).to.be.within(2, 5);
  });

  it('run at most 32 at a time for all owners', async () => {
    expect(await mostAtOnce(8, 5)).to.be.within(6, 32);
  });
});

describe('player queries to loopback addresses, with the panel elsewhere', () => {
  const { play, serve, players } = useServerWithGames({ players: { isOn: true, allowsLoopback: false } });

  it('are not sent, however the address is written', async () => {
    const game = await play(startMinecraft({ online: 2, max: 20 }));
    const spellings = ['127.0.0.1', '127.1', '2130706433', '::ffff:127.0.0.1', '::ffff:7f00:1', '::1'];
    for (const ip of [...spellings, '0:0:0:0:0:0:0:1', '2002:7f00:1::', '64:ff9b::127.0.0.1']) {
      serve({ ip, port: game.port });
      expect(await players(), ip).to.include({ online: null, reason: noAddress });
    }
    for (const alias of [...spellings, 'localhost']) {
      serve({ ip: '0.0.0.0', alias, port: game.port });
      expect(await players(), alias).to.include({ online: null, reason: noAddress });
    }
    expect(game.asked).to.equal(0);
  });
});

describe('player queries with PLAYER_QUERIES=false', () => {
  const { play, serve, players } = useServerWithGames({ players: { isOn: false, allowsLoopback: true } });

  it('are not sent, and the reason says so', async () => {
    const game = await play(startMinecraft({ online: 2, max: 20 }));
    serve(game);
    const reason = 'This service does not query games.';
    expect(await players()).to.include({ online: null, max: null, names: null, reason });
    expect(game.asked).to.equal(0);
  });
});
