/** The games of the demo panel's servers. One runs well; the others have the wrong Java, a bad plugin, a crash and a suspension. */

import type { BackupAttributes, ScheduleAttributes, VariableAttributes } from './panel.ts';

export const demoIdentifiers = {
  minecraft: '8c1f6e2a',
  minecraftOnOldJava: 'b3e5107f',
  valheim: 'd94a07b3',
  rust: '27be5c90',
  suspendedArk: '6f30d8c4',
} as const;

/**
 * Milliseconds after the start, and a text; `%t` stands for the time of day, `{{NAME}}` for the value of a variable, and
 * `{{INSTALLED_NAME}}` for its value when the game was last installed.
 */
export type Line = readonly [afterMs: number, text: string];

export interface Game {
  identifier: string;
  name: string;
  description: string;
  /** The container's image, and the command that starts the game. */
  image: string;
  startup: string;
  /** The images that the game offers, by their names; by default its own. */
  images?: Record<string, string>;
  variables?: VariableAttributes[];
  /** Memory and disk in MiB, CPU in percent of one core. */
  limits: { memory: number; disk: number; cpu: number };
  isSuspended?: boolean;
  wasStarted?: boolean;
  lines: readonly Line[];
  answer(command: string): readonly string[];
  files: Record<string, string>;
  backups?: BackupAttributes[];
  schedules?: ScheduleAttributes[];
  /** The lines that the game prints before it crashes; empty if its files are correct. */
  crash?(read: (path: string) => string): readonly Line[];
  /** The lines that the game prints when it hangs while it starts; empty if it can start in this image. */
  hang?(image: string): readonly Line[];
  players: { online: number; max: number; names: readonly string[] };
}

const lastBackup: BackupAttributes = {
  uuid: '904df120-a66f-4b9d-8f30-2c1b7f8c0d3f',
  name: 'Before the update',
  checksum: 'sha1:4e1243bd22c66e76c2ba9eddc1f91394e57f9f83',
  bytes: 734_003_200,
  is_successful: true,
  is_locked: false,
  created_at: '2026-11-14T02:00:00+00:00',
  completed_at: '2026-11-14T02:03:12+00:00',
};

const nightlyBackup: ScheduleAttributes = {
  id: 1,
  name: 'Nightly backup',
  cron: { minute: '30', hour: '4', day_of_month: '*', month: '*', day_of_week: '*' },
  is_active: true,
  is_processing: false,
  only_when_online: false,
  last_run_at: null,
  created_at: '2026-03-14T18:30:00+00:00',
  tasks: [{ id: 1, action: 'backup', payload: '', time_offset: 0, continue_on_failure: false }],
};

/** By default, customers may change it and it has its default value. */
const variable = (
  env_variable: string,
  name: string,
  attributes: Pick<VariableAttributes, 'description' | 'rules' | 'default_value'> &
    Partial<VariableAttributes>,
): VariableAttributes => ({ env_variable, name, server_value: null, is_editable: true, ...attributes });

const java17 = 'ghcr.io/pterodactyl/yolks:java_17';
const java21 = 'ghcr.io/pterodactyl/yolks:java_21';

const minecraftCommand = 'java -Xms128M -Xmx{{SERVER_MEMORY}}M -jar {{SERVER_JARFILE}}';
const minecraftPrompt = `\u001b[33m\u001b[1mcontainer@pterodactyl~ \u001b[0m${minecraftCommand}`;

const olderJava: readonly Line[] = [
  [0, minecraftPrompt],
  [700, 'Starting net.minecraft.server.Main'],
  [
    900,
    'Exception in thread "ServerMain" java.lang.UnsupportedClassVersionError: net/minecraft/server/Main has been compiled by a more recent version of the Java Runtime (class file version 65.0), this version of the Java Runtime only recognizes class file versions up to 61.0',
  ],
  [900, '\tat java.base/java.lang.ClassLoader.defineClass1(Native Method)'],
  [900, '\tat java.base/java.lang.Thread.run(Unknown Source)'],
];

const minecraft: Game = {
  identifier: demoIdentifiers.minecraft,
  name: 'Hearthstead SMP',
  description: 'Minecraft: survival with friends, whitelist on.',
  image: java21,
  images: { 'Java 17': java17, 'Java 21': java21 },
  startup: minecraftCommand,
  variables: [
    variable('MINECRAFT_VERSION', 'Minecraft version', {
      description: 'The version that the next installation downloads, such as 1.21.4, or latest.',
      ...{ rules: 'required|string|max:20', default_value: 'latest', server_value: '1.21.4' },
    }),
    variable('SERVER_JARFILE', 'Server jar file', {
      description: 'The file that Java runs.',
      ...{ rules: 'required|regex:/^([\\w\\d._-]+)(\\.jar)$/', default_value: 'server.jar' },
    }),
    variable('LEVEL_SEED', 'World seed', {
      description: 'The seed of a new world. Empty: a random one.',
      ...{ rules: 'nullable|string|max:64', default_value: '' },
    }),
    variable('DIFFICULTY', 'Difficulty', {
      description: 'How hard survival is.',
      ...{ rules: 'required|in:peaceful,easy,normal,hard', default_value: 'easy', server_value: 'normal' },
    }),
    variable('WHITELIST', 'Whitelist', {
      description: 'Whether only listed players may join.',
      ...{ rules: 'required|boolean', default_value: '0', server_value: '1' },
    }),
    variable('SERVER_TYPE', 'Server software', {
      description: 'The software that runs the world.',
      ...{ rules: 'required|string', default_value: 'vanilla', is_editable: false },
    }),
  ],
  limits: { memory: 6144, disk: 20480, cpu: 300 },
  wasStarted: true,
  lines: [
    [0, minecraftPrompt],
    [300, '[%t] [Server thread/INFO]: Starting minecraft server version {{INSTALLED_MINECRAFT_VERSION}}'],
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
  backups: [lastBackup],
  schedules: [nightlyBackup],
  hang: (image) => (image === java17 ? olderJava : []),
  players: { online: 1, max: 20, names: ['dana'] },
};

const minecraftOnOldJava: Game = {
  ...minecraft,
  identifier: demoIdentifiers.minecraftOnOldJava,
  name: 'Redstone Lab',
  description: 'Minecraft: machines, before they go to Hearthstead.',
  image: java17,
  limits: { memory: 2048, disk: 10240, cpu: 100 },
  lines: minecraft.lines.slice(0, 5),
  answer: (command) =>
    command === 'list'
      ? ['[%t] [Server thread/INFO]: There are 0 of a max of 20 players online: ']
      : minecraft.answer(command),
  files: {
    '/server.properties': 'server-port=25565\nmotd=Redstone Lab\nmax-players=20\n',
    '/eula.txt': 'eula=true\n',
  },
  ...{ backups: [], schedules: [], players: { online: 0, max: 20, names: [] } },
};

const trace = [
  "(%t) | [RaidTimer] Failed to call hook 'OnPlayerConnected' on plugin 'RaidTimer v2.3.1' (NullReferenceException: Object reference not set to an instance of an object)",
  '  at Oxide.Plugins.RaidTimer.OnPlayerConnected (BasePlayer player) [0x0001f] in <8f2b1c>:0',
  '  at Oxide.Plugins.RaidTimer.DirectCallHook (System.String name, System.Object& ret, System.Object[] args) [0x0010a] in <8f2b1c>:0',
  '  at Oxide.Plugins.CSharpPlugin.InvokeMethod (Oxide.Core.Plugins.HookMethod method, System.Object[] args) [0x00079] in <d59b507>:0',
  'Kicking 76561198000000007[198.51.100.40:28015]: connection failed in OnPlayerConnected',
] as const;

const rust: Game = {
  identifier: demoIdentifiers.rust,
  name: 'Rusty Weekend',
  description: 'Rust: wiped on the first Thursday of the month.',
  image: 'ghcr.io/pterodactyl/games:rust',
  startup: './RustDedicated -batchmode +server.worldsize {{WORLD_SIZE}} +decay.scale {{DECAY_SCALE}}',
  variables: [
    variable('WORLD_SIZE', 'World size', {
      description: 'The length of the map in meters.',
      ...{ rules: 'required|integer|between:1000,6000', default_value: '3000', server_value: '3500' },
    }),
    variable('DECAY_SCALE', 'Decay', {
      description: 'How fast buildings decay: 0 is never.',
      ...{ rules: 'required|numeric|min:0|max:10', default_value: '1' },
    }),
  ],
  limits: { memory: 16384, disk: 40960, cpu: 400 },
  wasStarted: true,
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
  players: { online: 2, max: 50, names: ['vik', 'Moss'] },
};

const settingsPath = '/config/server.yml';

const crash: readonly Line[] = [
  [23_700, '%t: ERROR: config/server.yml, line 4: max_players must be a number from 1 to 64, and is "ten"'],
  [23_800, '%t: Settings cannot be used: stopping'],
  [23_900, 'Process exited with code 1'],
];

const valheim: Game = {
  identifier: demoIdentifiers.valheim,
  name: 'Ten Longships',
  description: 'Valheim: crossplay, a backup every night.',
  image: 'ghcr.io/pterodactyl/games:valheim',
  startup: './valheim_server.x86_64 -nographics -password "{{PASSWORD}}"',
  variables: [
    variable('PASSWORD', 'Password', {
      description: 'Players enter it to join.',
      ...{ rules: 'required|string|min:5', default_value: 'secret', server_value: 'demo-valheim-password' },
    }),
  ],
  limits: { memory: 4096, disk: 12288, cpu: 200 },
  wasStarted: true,
  lines: [
    [0, 'Starting'],
    [1_900, '%t: Game server connected'],
  ],
  answer: (command) => [`%t: ${command}: ok`],
  files: {
    [settingsPath]:
      'name: Ten Longships\nworld: Midgard\npassword: demo-valheim-password\nmax_players: ten\ncrossplay: true\n',
    '/adminlist.txt': '76561198000000001\n',
  },
  crash: (read) => (/^max_players: ([1-9]|[1-5]\d|6[0-4])$/m.test(read(settingsPath)) ? [] : crash),
  players: { online: 1, max: 10, names: [] },
};

const ark: Game = {
  identifier: demoIdentifiers.suspendedArk,
  name: 'The Island, tamed',
  description: 'ARK: suspended until its invoice is paid.',
  image: 'ghcr.io/pterodactyl/games:ark',
  startup: './ShooterGameServer',
  limits: { memory: 12288, disk: 61440, cpu: 400 },
  isSuspended: true,
  lines: [],
  answer: () => [],
  files: {},
  players: { online: 0, max: 8, names: [] },
};

export const games: readonly Game[] = [minecraft, minecraftOnOldJava, valheim, rust, ark];
