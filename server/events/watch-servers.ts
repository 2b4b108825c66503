/**
 * Watches the states of servers for those who subscribe to `server.state_changed`. One process at a time does it, by a
 * lease; within its share of the panel's rate limit, spread evenly. Without a subscription nothing is measured.
 */
import type { Models } from '../../models/index.ts';
import type { PanelUser } from '../../models/user.ts';
import { listServersOf } from '../../routers/owned-server.ts';
import type { Panel, PanelResources, PanelServer } from '../../routers/panel-port.ts';
import type { Clock } from '../../routers/ports.ts';
import { measureMs, WatchBudget } from './watch-budget.ts';

const eventType = 'server.state_changed';
/** Another process takes over within the lease and one renewal. */
const leaseMs = 30_000;
const renewMs = 10_000;
/** How often a user's list of servers is read, where there are few. */
const listMs = 60_000;
/** The panel is asked for a user by external id, then by e-mail address, and then for the list. */
const callsOfLookup = 3;
const tickMs = 500;
/** Ticks come late, and a call may wait for one to another server. */
const marginMs = 2 * tickMs;
/** Twice this after a state was first seen, the panel has measured again. */
const confirmMs = measureMs / 2 + tickMs;

export interface ServerWatchOptions {
  models: Pick<Models, 'serverWatches' | 'users' | 'webhookEvents' | 'transaction'>;
  panel: Pick<Panel, 'findUserId' | 'listServers' | 'getStates'>;
  clock: Clock;
  callsPerMinute: number;
  log: { error(fields: object, message: string): void };
  onWatch?: ((figures: { servers: number; measurements: number }) => void) | undefined;
}

interface WatchedUser {
  user: PanelUser;
  /** When the list is to be read again; 0: it was not read yet. */
  listAt: number;
  servers: readonly PanelServer[];
}

interface Watched {
  server: PanelServer;
  userIds: Set<number>;
  /** The last known state; null: none yet. */
  state: string | null;
  /** What one measurement said, and a second has not confirmed. */
  candidate: { state: PanelResources['state']; seenAt: number } | null;
  dueAt: number;
  isPending: boolean;
}

export class ServerWatch {
  readonly #options: ServerWatchOptions;
  readonly #lease;
  readonly #users = new Map<number, WatchedUser>();
  #watched = new Map<string, Watched>();
  /** Until when this process has the lease. */
  #leasedUntil = Number.NEGATIVE_INFINITY;
  #renewAt = 0;
  /** When all users are read again, where the host wants everybody's. */
  #everybodyAt = 0;
  readonly #budget: WatchBudget;
  #timer: NodeJS.Timeout | undefined;
  readonly #running = new Set<Promise<void>>();

  constructor(options: ServerWatchOptions) {
    this.#options = options;
    this.#lease = options.models.serverWatches.createLease(leaseMs);
    this.#budget = new WatchBudget({ ...options, tickMs });
  }

  start(): this {
    // A slow node holds its own measurement, not the next tick.
    this.#timer = setInterval(() => {
      const run = this.tick().finally(() => this.#running.delete(run));
      this.#running.add(run);
    }, tickMs).unref();
    return this;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
    if (this.#isLeader()) await this.#lease.release();
  }

  /** Does what is due now. */
  async tick(): Promise<void> {
    const now = this.#options.clock();
    try {
      if (now >= this.#renewAt) await this.#renew(now);
      if (!this.#isLeader()) return;
      await Promise.all([this.#readOneList(now), this.#measureDue(now)]);
    } catch (error) {
      this.#leasedUntil = Number.NEGATIVE_INFINITY;
      this.#renewAt = now + renewMs;
      this.#options.log.error({ err: error }, 'The watch over servers failed; it is tried again');
    }
  }

  async #renew(now: number) {
    const { models } = this.#options;
    this.#renewAt = now + renewMs;
    const isWanted = await models.webhookEvents.isWanted([eventType]);
    const wasLeader = this.#isLeader();
    const isLeader = isWanted && (await this.#lease.hold(new Date(now)));
    this.#leasedUntil = isLeader ? now + leaseMs : Number.NEGATIVE_INFINITY;
    if (!isLeader || !wasLeader) this.#forget();
    if (isLeader) await this.#findUsers(now);
    this.#report(0);
  }

  /** Also while the lease cannot be renewed, until it ends: then another process may have it. */
  #isLeader() {
    return this.#options.clock() < this.#leasedUntil;
  }

  /** What another process may have measured meanwhile is read again. */
  #forget() {
    this.#everybodyAt = 0;
    this.#users.clear();
    this.#watched.clear();
  }

  async #findUsers(now: number) {
    const { models } = this.#options;
    const ids = await models.webhookEvents.listConcerned(eventType);
    // Everybody is read as seldom as a list.
    if (ids === null && now < this.#everybodyAt) return;
    this.#everybodyAt = ids === null ? now + listMs : 0;
    const found = await models.users.listPanelUsers(ids);
    const wanted = new Map(found.map((user) => [user._id, user]));
    for (const id of this.#users.keys()) if (!wanted.has(id)) this.#users.delete(id);
    for (const [id, user] of wanted) {
      const known = this.#users.get(id);
      if (known?.user.panelUserId === user.panelUserId) known.user = user;
      else this.#users.set(id, { user, listAt: 0, servers: [] });
    }
    this.#arrange(now);
  }

  async #readOneList(now: number) {
    let due: WatchedUser | null = null;
    for (const user of this.#users.values()) if (!due || user.listAt < due.listAt) due = user;
    if (!due || due.listAt > now) return;
    const calls = due.user.panelUserId === null ? callsOfLookup : 1;
    const isFirst = due.listAt === 0;
    if (!this.#budget.takeList({ calls, isFirst, serverCount: this.#watched.size })) return;
    due.listAt = now + listMs;
    // The list of a user whom the panel cannot show now stays as it was.
    due.servers = await this.#listServers(due.user).catch(() => due.servers);
    await this.#options.models.serverWatches.keep(due.servers.map(({ identifier }) => identifier));
    this.#arrange(now);
    await this.#readStates();
  }

  #listServers(user: PanelUser): Promise<readonly PanelServer[]> {
    return listServersOf({ ...this.#options, requestId: this.#lease.own.holder }, user, 'detail');
  }

  /** The servers of all users, with what is known of them; new ones are due at once. */
  #arrange(now: number) {
    const watched = new Map<string, Watched>();
    for (const [userId, { servers }] of this.#users)
      for (const server of servers) {
        const known = watched.get(server.identifier) ?? this.#watched.get(server.identifier);
        const entry = known ?? { ...unseen, server, userIds: new Set<number>(), dueAt: now };
        entry.server = server;
        if (!watched.has(server.identifier)) entry.userIds = new Set();
        entry.userIds.add(userId);
        watched.set(server.identifier, entry);
      }
    this.#watched = watched;
  }

  async #readStates() {
    const fresh = [...this.#watched.values()].filter(({ state }) => state === null);
    if (fresh.length === 0) return;
    const states = await this.#options.models.serverWatches.findStates(
      fresh.map(({ server }) => server.identifier),
    );
    for (const entry of fresh) entry.state = states.get(entry.server.identifier) ?? null;
  }

  async #measureDue(now: number) {
    const intervalMs = this.#budget.intervalMs(this.#watched.size);
    const due = [...this.#watched.values()].filter(({ dueAt, isPending }) => dueAt <= now && !isPending);
    due.sort((one, other) => one.dueAt - other.dueAt);
    const pending = [...this.#watched.values()].filter(({ isPending }) => isPending).length;
    const begun: Promise<void>[] = [];
    // Ten calls may wait for a slow node: the others go on.
    for (const entry of due.slice(0, 10 - pending)) {
      if (!this.#budget.takeMeasurement()) break;
      begun.push(this.#measure(entry, intervalMs));
    }
    this.#report(begun.length);
    await Promise.all(begun);
  }

  #report(measurements: number) {
    this.#options.onWatch?.({ servers: this.#watched.size, measurements });
  }

  async #measure(entry: Watched, intervalMs: number) {
    const startedAt = this.#options.clock();
    entry.isPending = true;
    try {
      const [measured] = await this.#options.panel.getStates([entry.server], this.#lease.own.holder, 0);
      // While the panel's rate limit is used up, there are only older ones than what the panel may have kept.
      if (measured && measured.measuredAt >= startedAt - measureMs)
        await this.#take(entry, measured, startedAt);
    } finally {
      entry.isPending = false;
      const isMoving = entry.candidate !== null && intervalMs === measureMs;
      entry.dueAt = startedAt + (isMoving ? confirmMs : intervalMs - marginMs);
    }
  }

  /** A change counts when two measurements agree; `unknown` is no change. */
  async #take(entry: Watched, { state, measuredAt }: PanelResources, startedAt: number) {
    if (state === 'unknown') return;
    if (entry.state === null) {
      await this.#options.models.serverWatches.begin(entry.server.identifier, state);
      entry.state = state;
    } else if (state === entry.state) entry.candidate = null;
    else if (state !== entry.candidate?.state) entry.candidate = { state, seenAt: this.#options.clock() };
    // One that began earlier may have found what the panel keeps.
    else if (startedAt - entry.candidate.seenAt >= measureMs)
      await this.#announce(entry, { from: entry.state, to: state, at: new Date(measuredAt) });
  }

  /** The event and the state are stored together. */
  async #announce({ server, userIds, ...entry }: Watched, { from, to, at }: Change) {
    const { models } = this.#options;
    const { identifier, name } = server;
    const data = { server: { identifier, name }, from, to, measured_at: at.toISOString() };
    const events = [...userIds].map((userId) => ({ type: eventType, userId, at, data }) as const);
    await models.transaction(async (session) => {
      if (await models.serverWatches.change(identifier, { from, to }, session))
        await models.webhookEvents.record(events, session);
    });
    const known = this.#watched.get(identifier) ?? entry;
    known.state = to;
    known.candidate = null;
  }
}

interface Change {
  from: string;
  to: string;
  at: Date;
}

const unseen = { state: null, candidate: null, isPending: false };
