/** What the demo servers print, and the files that they have: one runs well, one has lost its players to a plugin, and one crashes. */
import type { InitialFiles } from './file-tree.ts';
import type { SourcePlayers } from './games.ts';
import { demoIdentifiers } from './servers.ts';

export interface GameLog {
  /** Milliseconds after the start, and a text; `%t` stands for the time of day. */
  lines: readonly (readonly [afterMs: number, text: string])[];
  /** What the game prints in answer to a command. */
  answer(command: string): readonly string[];
  /** What its files are at first, beside its log. */
  files: InitialFiles;
  /** Whether something in them makes it crash after its start. */
  isBroken?(read: (path: string) => string): boolean;
  /** What it prints then. */
  crashLines?: GameLog['lines'];
  /** Who plays while it runs; the game answers as Minecraft or as Source. */
  players: SourcePlayers & { isMinecraft?: true };
}

const minecraft: GameLog = {
  lines: [
    [0, '\u001b[33m\u001b[1mcontainer@pterodactyl~ \u001b[0mjava -Xms128M -Xmx6144M -jar server.jar'],
    [300, '[%t] [Server thread/INFO]: Starting minecraft server version 1.21.4'],
    [500, '[%t] [Server thread/INFO]: Starting Minecraft server on 0.0.0.0:25565'],
    [900, '[%t] [Server thread/INFO]: Preparing level "world"'],
    [1_900, '[%t] [Server thread/INFO]: \u001b[32mDone (1.412s)! For help, type "help"\u001b[0m'],
    [30_200, '[%t] [Server thread/INFO]: dana[/198.51.100.23:51422] logged in with entity id 211'],
    [30_300, '[%t] [Server thread/INFO]: dana joined the game'],
    [95_000, '[%t] [Server thread/INFO]: <dana> anyone seen my horse?'],
    [300_000, '[%t] [Server thread/INFO]: Saved the game'],
  ],
  answer(command) {
    const [word = '', ...rest] = command.split(' ');
    if (word === 'say') return [`[%t] [Server thread/INFO]: [Server] ${rest.join(' ')}`];
    if (word === 'list')
      return ['[%t] [Server thread/INFO]: There are 1 of a max of 20 players online: dana'];
    if (word === 'stop') return ['[%t] [Server thread/INFO]: Stopping the server'];
    return [
      '[%t] [Server thread/INFO]: Unknown or incomplete command, see below for error',
      `[%t] [Server thread/INFO]: ${command}<--[HERE]`,
    ];
  },
  files: {
    '/server.properties':
      'server-port=25565\nmotd=Hearthstead SMP\nmax-players=20\nwhite-list=true\nrcon.password=demo-rcon-minecraft\n',
    '/whitelist.json': '[{ "uuid": "5b2c0f7e-94f5-4a4e-9a1a-0d6d6b1d2c11", "name": "dana" }]\n',
    '/eula.txt': 'eula=true\n',
  },
  players: { isMinecraft: true, players: 1, max: 20, names: ['dana'] },
};

const trace = [
  "(%t) | [RaidTimer] Failed to call hook 'OnPlayerConnected' on plugin 'RaidTimer v2.3.1' (NullReferenceException: Object reference not set to an instance of an object)",
  '  at Oxide.Plugins.RaidTimer.OnPlayerConnected (BasePlayer player) [0x0001f] in <8f2b1c>:0',
  '  at Oxide.Plugins.RaidTimer.DirectCallHook (System.String name, System.Object& ret, System.Object[] args) [0x0010a] in <8f2b1c>:0',
  '  at Oxide.Plugins.CSharpPlugin.InvokeMethod (Oxide.Core.Plugins.HookMethod method, System.Object[] args) [0x00079] in <d59b507>:0',
  'Kicking 76561198000000007[198.51.100.40:28015]: connection failed in OnPlayerConnected',
] as const;

const rust: GameLog = {
  lines: [
    [0, 'Loading Prefab Bundle 100%'],
    [700, 'Server Config: oxide/config loaded, 14 plugins'],
    [1_500, '\u001b[31m(%t) | [Oxide] RaidTimer was compiled for an older version of Rust\u001b[0m'],
    [1_900, 'Server startup complete'],
    [1_950, 'vik[198.51.100.31:28015] joined [windows/76561198000000021]'],
    [1_960, 'Moss[198.51.100.77:28015] joined [windows/76561198000000034]'],
    ...trace.map((text) => [2_000, text] as const),
  ],
  answer: (command) => [`(%t) | [RCON] ${command}`, 'Unknown command: use find . for a list'],
  files: {
    '/server.cfg': 'server.hostname "Rusty Weekend"\nserver.maxplayers 50\nrcon.password "demo-rcon-rust"\n',
    '/oxide/plugins/RaidTimer.cs':
      'namespace Oxide.Plugins { [Info("RaidTimer", "somebody", "2.3.1")] class RaidTimer {} }\n',
  },
  players: { players: 2, max: 50, names: ['vik', 'Moss'] },
};

const settingsPath = '/config/server.yml';

const others: GameLog = {
  lines: [
    [0, 'Starting'],
    [1_900, '%t: Game server connected'],
  ],
  answer: (command) => [`%t: ${command}: ok`],
  files: { '/server.cfg': 'players=8\n' },
  players: { players: 1, max: 8, names: null },
};

const valheim: GameLog = {
  ...others,
  players: { players: 1, max: 10, names: null },
  crashLines: [
    [23_700, '%t: ERROR: config/server.yml, line 4: max_players must be a number from 1 to 64, and is "ten"'],
    [23_800, '%t: Settings cannot be used: stopping'],
    [23_900, 'Process exited with code 1'],
  ],
  files: {
    [settingsPath]:
      'name: Ten Longships\nworld: Midgard\npassword: demo-valheim-password\nmax_players: ten\ncrossplay: true\n',
    '/adminlist.txt': '76561198000000001\n',
  },
  isBroken: (read) => !/^max_players: ([1-9]|[1-5]\d|6[0-4])$/m.test(read(settingsPath)),
};

const logs: Partial<Record<string, GameLog>> = {
  [demoIdentifiers.minecraft]: minecraft,
  [demoIdentifiers.rust]: rust,
  [demoIdentifiers.valheim]: valheim,
};

export const gameLogOf = (identifier: string): GameLog => logs[identifier] ?? others;
