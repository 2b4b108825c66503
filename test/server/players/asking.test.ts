/** Which games are asked who plays, and how many at once. */
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { answerAsSource, minecraftStatus } from '../../../server/panel/demo/games.ts';
import { startMinecraft, startTcpGame, startUdpGame } from '../../support/games.ts';
import { type Allocation, serverAt, usePlayedServer } from '../../support/played-server.ts';
import { resetPanel } from '../../support/server-owner.ts';

const noAddress = 'The server has no address that can be asked.';
const noAnswer = 'The game did not answer.';

describe('games that are asked who plays', () => {
  const { service, play, serve, players } = usePlayedServer();
  /** Refuses at once. */
  const closed: Allocation = { ip: '127.0.0.2', port: 1 };

  it('are at the default allocation and five others', async () => {
    const game = await play(startMinecraft({ online: 2, max: 20 }));
    serve(closed, closed, closed, closed, closed, closed, game);
    expect(await players()).to.include({ reason: noAnswer });
    expect(game.asked).to.equal(0);
    serve(closed, closed, closed, closed, closed, game);
    expect(await players()).to.include({ online: 2 });
  });

  it('are also at ::1 where the panel is on this machine', async () => {
    serve({ ip: '::1', port: 1 });
    expect(await players()).to.include({ reason: noAnswer });
  });

  it('are at no address of a zone', async () => {
    serve({ ip: 'fe80::1%lo', port: 1 });
    expect(await players()).to.include({ reason: noAddress });
  });

  it('have not answered at a port that does not exist', async () => {
    for (const port of [0, 65_535]) {
      serve({ port });
      expect(await players(), String(port)).to.include({ reason: noAnswer });
    }
  });

  it('are not those of another server at the next port', async () => {
    const answer = answerAsSource({ players: 5, max: 16, names: ['gaben'] });
    let told = 0;
    const portOf = (port: number) => Buffer.of(0x80, port & 0xff, port >> 8);
    const game = await play(
      startUdpGame((question) =>
        answer(question).map((message) =>
          message[4] === 0x49 ? Buffer.concat([message, portOf(told)]) : message,
        ),
      ),
    );
    told = game.port;
    serve({ port: game.port - 1 });
    expect(await players()).to.include({ online: null, reason: noAnswer });
    told = game.port - 1;
    serve({ port: game.port - 1 });
    expect(await players()).to.include({ online: 5 });
  });

  /** Of so many owners with so many servers each, whose states they ask for at once: the most games that wait at once. */
  async function mostAtOnce(owners: number, serversOfEach: number) {
    let waiting = 0;
    let most = 0;
    const answerLater = (socket: Socket) => {
      waiting += 1;
      most = Math.max(most, waiting);
      // No other takes its place before it has answered, and all that may be asked with it are.
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

  it('are at most five at once of one owner', async () => {
    expect(await mostAtOnce(1, 8)).to.be.within(2, 5);
  });

  it('are at most 32 at once of all owners', async () => {
    expect(await mostAtOnce(8, 5)).to.be.within(6, 32);
  });
});

describe('games at the loopback address, where the panel is elsewhere', () => {
  const { play, serve, players } = usePlayedServer({ players: { isOn: true, allowsLoopback: false } });

  it('are not asked, however the address is written', async () => {
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

describe('games, with PLAYER_QUERIES=false', () => {
  const { play, serve, players } = usePlayedServer({ players: { isOn: false, allowsLoopback: true } });

  it('are not asked, and the reason says so', async () => {
    const game = await play(startMinecraft({ online: 2, max: 20 }));
    serve(game);
    const reason = 'This service asks no games who plays.';
    expect(await players()).to.include({ online: null, max: null, names: null, reason });
    expect(game.asked).to.equal(0);
  });
});
