/** One server of the demo panel: its state and console follow power signals over seconds of the service's clock. */
import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '../../../routers/ports.ts';
import { FileTree } from './file-tree.ts';
import type { Game, Line } from './games.ts';
import type { BackupAttributes, GameServer, ScheduleAttributes, ServerAttributes, Startup } from './panel.ts';
import { fillIn, install } from './startup-calls.ts';

type RunState = 'offline' | 'starting' | 'running' | 'stopping';

const transitionMs = 2_000;
const crashAfterMs = 24_000;
const ranBeforeMs = 600_000;
/** A node keeps this many lines. */
const linesMax = 150;

interface Entry<Value> {
  at: number;
  value: Value;
}

export class DemoServer implements GameServer {
  readonly attributes: ServerAttributes;
  backups: BackupAttributes[];
  schedules: ScheduleAttributes[];
  readonly startup: Startup;
  readonly #game: Game;
  readonly #clock: Clock;
  readonly #files: FileTree;
  #states: Entry<RunState>[] = [];
  #lines: Entry<string>[] = [];

  constructor(game: Game, { id, port, clock }: { id: number; port: number; clock: Clock }) {
    this.attributes = attributesOf(game, id, port);
    this.backups = structuredClone(game.backups ?? []);
    this.schedules = structuredClone(game.schedules ?? []);
    const { image, images = { [image]: image }, variables = [] } = game;
    this.startup = structuredClone({ images, variables });
    install(this);
    this.#game = game;
    this.#clock = clock;
    this.#files = new FileTree(game.files, clock());
    if (game.wasStarted) this.#start(clock() - ranBeforeMs);
  }

  get files(): FileTree {
    const log = this.lines().map((line) => `${stripVTControlCharacters(line)}\n`);
    this.#files.write('/logs/latest.log', log.join(''), this.#clock());
    return this.#files;
  }

  state(): RunState {
    return this.#past(this.#states).at(-1)?.value ?? 'offline';
  }

  stats() {
    const { limits } = this.attributes;
    const current_state = this.state();
    const since = this.#past(this.#states).at(-1)?.at ?? 0;
    const uptime = current_state === 'running' ? this.#clock() - since : 0;
    const isUp = current_state !== 'offline';
    const wave = Math.sin((uptime / 60_000) * 2 * Math.PI);
    const resources = {
      memory_bytes: isUp ? Math.round(limits.memory * 512 * 1024 * (1 + wave / 10)) : 0,
      cpu_absolute: isUp ? Math.round(limits.cpu * 10 * (1 + wave / 2)) / 100 : 0,
      disk_bytes: limits.disk * 256 * 1024,
      network_rx_bytes: uptime * 3,
      network_tx_bytes: uptime * 11,
      uptime,
    };
    return { current_state, resources };
  }

  lines(): readonly string[] {
    return this.#past(this.#lines).map(({ value }) => value);
  }

  /** Ignores a signal that does not fit the current state, as a real node does. */
  signal(word: string): void {
    const state = this.state();
    const isUp = state === 'starting' || state === 'running';
    if (state === 'offline' && (word === 'start' || word === 'restart')) this.#start(this.#clock());
    if (state !== 'offline' && word === 'kill') this.#stop(0);
    if (isUp && (word === 'stop' || word === 'restart')) this.#stop(transitionMs);
    if (isUp && word === 'restart') this.#start(this.#clock() + transitionMs);
  }

  enter(command: string): void {
    const printed = [`> ${command}`, ...this.#game.answer(command)];
    this.#print(
      this.#clock(),
      printed.map((text) => [0, text]),
    );
    if (command === 'stop') this.signal('stop');
  }

  #past<Value>(entries: readonly Entry<Value>[]): Entry<Value>[] {
    return entries.filter(({ at }) => at <= this.#clock());
  }

  #start(at: number): void {
    const crash = this.#game.crash?.((path) => String(this.#files.get(path)?.content ?? '')) ?? [];
    const hang = this.#game.hang?.(this.attributes.container.image) ?? [];
    this.#states.push({ at, value: 'starting' });
    if (hang.length === 0) this.#states.push({ at: at + transitionMs, value: 'running' });
    if (crash.length > 0) this.#states.push({ at: at + crashAfterMs, value: 'offline' });
    this.#lines = [];
    const lines = hang.length > 0 ? hang : [...this.#game.lines, ...crash];
    this.#print(
      at,
      lines.map(([afterMs, text]) => [afterMs, fillIn(text, this)]),
    );
  }

  #stop(durationMs: number): void {
    const now = this.#clock();
    this.#lines = this.#past(this.#lines);
    this.#states = [
      { at: now, value: 'stopping' },
      { at: now + durationMs, value: 'offline' },
    ];
  }

  #print(from: number, lines: readonly Line[]): void {
    const added = lines.map(([afterMs, text]) => {
      const at = from + afterMs;
      return { at, value: text.replaceAll('%t', new Date(at).toISOString().slice(11, 19)) };
    });
    this.#lines = [...this.#lines, ...added].sort((one, other) => one.at - other.at).slice(-linesMax);
  }
}

const createdAt = '2026-03-14T18:30:00+00:00';

function attributesOf(
  { identifier, name, description, image, startup, limits, isSuspended = false }: Game,
  id: number,
  port: number,
) {
  const allocation = { id, ip: '127.0.0.1', alias: 'play.demo.example', port, assigned: true };
  const allocations = { object: 'list', data: [{ object: 'allocation', attributes: allocation }] };
  return {
    ...{ id, identifier, name, description, node: 1, nest: 1, allocation: id },
    uuid: `${identifier}-4b0d-4c57-9a43-5d2be7f09a1${id}`,
    status: isSuspended ? 'suspended' : null,
    suspended: isSuspended,
    limits: { ...limits, swap: 0, io: 500, threads: null, oom_disabled: true },
    feature_limits: { databases: 1, allocations: 2, backups: 3 },
    container: { startup_command: startup, image },
    relationships: { allocations },
    ...{ created_at: createdAt, updated_at: createdAt },
  };
}
