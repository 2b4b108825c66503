/** One demo server's run state, which follows power signals over seconds of the service's clock, and its console. */
import type { Clock } from '../../../routers/ports.ts';
import { demoIdentifiers } from './servers.ts';

type RunState = 'offline' | 'starting' | 'running' | 'stopping';

/** How long starting takes, and stopping. */
const transitionMs = 2_000;
const commandsMax = 20;
const ranBeforeMs = 600_000;
/** As many lines as a node keeps. */
const linesMax = 150;

/** The states a signal leads through, by the state it finds. */
const transitions: Record<string, Partial<Record<RunState, readonly RunState[]>>> = {
  start: { offline: ['starting', 'running'] },
  stop: { starting: ['stopping', 'offline'], running: ['stopping', 'offline'] },
  restart: {
    offline: ['starting', 'running'],
    starting: ['stopping', 'starting', 'running'],
    running: ['stopping', 'starting', 'running'],
  },
  kill: { starting: ['offline'], running: ['offline'], stopping: ['offline'] },
};

export interface Machine {
  /** Ignores a signal that does not fit the present state, as a real node does. */
  signal(signal: string): void;
  /** Takes a console command; `stop` stops the server. */
  enter(command: string): void;
  state(): RunState;
  /** Since it reached `running`; 0 in any other state. */
  uptimeMs(): number;
  /** The last ones, oldest first. */
  commands: readonly string[];
  /** What its console shows, oldest first. */
  lines(): readonly string[];
}

interface MachineOptions {
  clock: Clock;
  isRunning: boolean;
  log: GameLog;
}

export function createMachine({ clock, isRunning, log }: MachineOptions): Machine {
  const initial = isRunning ? 'running' : 'offline';
  let states: readonly RunState[] = [initial];
  let startedAt = clock();
  const commands: { at: number; text: string }[] = [];
  const step = () => Math.min(Math.floor((clock() - startedAt) / transitionMs), states.length - 1);
  const state = () => states[step()] ?? initial;
  const signal = (word: string) => {
    const next = transitions[word]?.[state()];
    if (!next) return;
    states = next;
    startedAt = clock();
  };
  /** Of the game itself: a restart stops it first, and one that runs at the start has run for a while. */
  const bootedAt = () =>
    states.length === 1
      ? startedAt - ranBeforeMs
      : startedAt + Math.max(states.indexOf('starting'), 0) * transitionMs;
  return {
    signal,
    state,
    get commands() {
      return commands.map(({ text }) => text);
    },
    lines: () => writeLines({ log, commands, bootedAt: bootedAt(), now: clock() }),
    enter(command) {
      commands.push({ at: clock(), text: command });
      commands.splice(0, commands.length - commandsMax);
      if (command === 'stop') signal('stop');
    },
    uptimeMs: () => (state() === 'running' ? clock() - startedAt - step() * transitionMs : 0),
  };
}

interface Written {
  log: GameLog;
  commands: readonly { at: number; text: string }[];
  bootedAt: number;
  now: number;
}

function writeLines({ log, commands, bootedAt, now }: Written): string[] {
  const script = log.lines.map(([afterMs, text]) => ({ at: bootedAt + afterMs, text }));
  const answers = commands.flatMap(({ at, text }) =>
    [`> ${text}`, ...log.answer(text)].map((line) => ({ at, text: line })),
  );
  return [...script, ...answers]
    .filter(({ at }) => at <= now)
    .sort((one, other) => one.at - other.at)
    .slice(-linesMax)
    .map(({ at, text }) => text.replaceAll('%t', new Date(at).toISOString().slice(11, 19)));
}

interface GameLog {
  /** Milliseconds after the start, and a text; `%t` stands for the time of day. */
  lines: readonly (readonly [afterMs: number, text: string])[];
  /** What the game prints in answer to a command. */
  answer(command: string): readonly string[];
}

const minecraft: GameLog = {
  lines: [
    [0, '\u001b[33m\u001b[1mcontainer@pterodactyl~ \u001b[0mjava -Xms128M -Xmx6144M -jar server.jar'],
    [100, '[%t] [ServerMain/INFO]: Environment: Environment[sessionHost=https://sessionserver.mojang.com]'],
    [300, '[%t] [Server thread/INFO]: Starting minecraft server version 1.21.4'],
    [400, '[%t] [Server thread/INFO]: Loading properties'],
    [500, '[%t] [Server thread/INFO]: Starting Minecraft server on 0.0.0.0:25565'],
    [900, '[%t] [Server thread/INFO]: Preparing level "world"'],
    [
      1_200,
      '[%t] [Worker-Main-1/INFO]: Preparing spawn area: 2%\r[%t] [Worker-Main-1/INFO]: Preparing spawn area: 84%',
    ],
    [1_900, '[%t] [Server thread/INFO]: \u001b[32mDone (1.412s)! For help, type "help"\u001b[0m'],
    [
      30_000,
      '[%t] [User Authenticator #1/INFO]: UUID of player dana is 5b2c0f7e-94f5-4a4e-9a1a-0d6d6b1d2c11',
    ],
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
    ...trace.map((text) => [2_000, text] as const),
  ],
  answer: (command) => [`(%t) | [RCON] ${command}`, 'Unknown command: use find . for a list'],
};

const others: GameLog = {
  lines: [
    [0, 'Starting'],
    [1_900, '%t: Game server connected'],
  ],
  answer: (command) => [`%t: ${command}: ok`],
};

const logs: Partial<Record<string, GameLog>> = {
  [demoIdentifiers.minecraft]: minecraft,
  [demoIdentifiers.rust]: rust,
};

/** What the consoles of the demo servers show: one runs well, and one has lost its players to a broken plugin. */
export const gameLogOf = (identifier: string): GameLog => logs[identifier] ?? others;
