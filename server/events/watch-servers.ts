/**
 * Watches the states of servers for those who subscribe to `server.state_changed`. One process at a time does it, by a
 * lease; within its share of the panel's rate limit, spread evenly. Without a subscription nothing is measured.
 */
import { randomUUID } from 'node:crypto';
import type { Models } from '../../models/index.ts';
import type { PanelUser } from '../../models/user.ts';
import { findPanelUserId } from '../../routers/owned-server.ts';
import type { Panel, PanelResources, PanelServer } from '../../routers/panel-port.ts';
import type { Clock } from '../../routers/ports.ts';

const eventType = 'server.state_changed';
/** Another process takes over within the lease and one renewal. */
const leaseMs = 30_000;
const renewMs = 10_000;
/** How often a user's list of servers is read, where there are few. */
const listMs = 60_000;
/** Lists have a rate limit of their own at the panel, which the reads of all callers need too. */
const callsPerList = 2;
/** The panel keeps a measurement for as long: one that is closer to the last may be the same. */
const measureMs = 20_000;
const tickMs = 500;
const minuteMs = 60_000;
/** Calls that wait for a slow node: the others go on. */
const pendingMax = 10;

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
  listAt: number;
  servers: readonly PanelServer[];
}

interface Watched {
  server: PanelServer;
  userIds: Set<number>;
  /** The last known state; null: none yet. */
  state: string | null;
  /** What one measurement said, and a second has not confirmed. */
  candidate: string | null;
  measuredAt: number;
  dueAt: number;
  isPending: boolean;
}

export class ServerWatch {
  readonly #options: ServerWatchOptions;
  readonly #holder = randomUUID();
  readonly #users = new Map<number, WatchedUser>();
  #watched = new Map<string, Watched>();
  /** Until when this process has the lease. */
  #leasedUntil = Number.NEGATIVE_INFINITY;
  #renewAt = 0;
  #nextListAt = 0;
  /** When calls of the last minute were made. */
  #calls: number[] = [];
  #nextCallAt = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #running = new Set<Promise<void>>();

  constructor(options: ServerWatchOptions) {
    this.#options = options;
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
    if (this.#isLeader()) await this.#options.models.serverWatches.release(this.#holder);
  }

  /** Does what is due now. */
  async tick(): Promise<void> {
    const now = this.#options.clock();
    try {
      if (now >= this.#renewAt) await this.#renew(now);
      if (!this.#isLeader()) return;
      await this.#readOneList(now);
      await this.#measureDue(now);
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
    const isLeader = isWanted && (await models.serverWatches.hold(this.#holder, new Date(now), leaseMs));
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
    this.#users.clear();
    this.#watched.clear();
  }

  async #findUsers(now: number) {
    const { models } = this.#options;
    const ids = await models.webhookEvents.listConcerned(eventType);
    const found = await models.users.listPanelUsers(ids);
    const wanted = new Map(found.map((user) => [user._id, user]));
    for (const id of this.#users.keys()) if (!wanted.has(id)) this.#users.delete(id);
    for (const [id, user] of wanted)
      if (this.#users.get(id)?.user.panelUserId !== user.panelUserId)
        this.#users.set(id, { user, listAt: now, servers: [] });
    this.#arrange(now);
  }

  async #readOneList(now: number) {
    const due = [...this.#users.values()].find(({ listAt }) => listAt <= now);
    if (!due || now < this.#nextListAt) return;
    due.listAt = now + listMs;
    this.#nextListAt = now + (callsPerList * minuteMs) / this.#options.callsPerMinute;
    // The list of a user whom the panel cannot show now stays as it was.
    due.servers = await this.#listServers(due.user).catch(() => due.servers);
    this.#arrange(now);
    await this.#readStates();
  }

  async #listServers(user: PanelUser): Promise<readonly PanelServer[]> {
    const { models, panel } = this.#options;
    const id = await findPanelUserId({ models, panel, requestId: this.#holder }, user);
    return id === null ? [] : panel.listServers(id, this.#holder, 'detail');
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
    const { callsPerMinute } = this.#options;
    const intervalMs = Math.max(measureMs, (this.#watched.size / callsPerMinute) * minuteMs);
    this.#calls = this.#calls.filter((at) => at > now - minuteMs && at <= now);
    const due = [...this.#watched.values()].filter(({ dueAt, isPending }) => dueAt <= now && !isPending);
    due.sort((one, other) => one.dueAt - other.dueAt);
    const pending = [...this.#watched.values()].filter(({ isPending }) => isPending).length;
    // A tick that came late makes up for the calls that were due before it.
    this.#nextCallAt = Math.max(this.#nextCallAt, now - tickMs);
    const begun: Promise<void>[] = [];
    for (const entry of due.slice(0, pendingMax - pending)) {
      if (this.#calls.length >= callsPerMinute || this.#nextCallAt > now) break;
      this.#calls.push(now);
      this.#nextCallAt += minuteMs / callsPerMinute;
      begun.push(this.#measure(entry, intervalMs));
    }
    this.#report(begun.length);
    await Promise.all(begun);
  }

  #report(measurements: number) {
    this.#options.onWatch?.({ servers: this.#watched.size, measurements });
  }

  async #measure(entry: Watched, intervalMs: number) {
    entry.isPending = true;
    try {
      const [measured] = await this.#options.panel.getStates([entry.server], this.#holder);
      if (measured) await this.#take(entry, measured);
    } finally {
      entry.isPending = false;
      entry.dueAt = this.#options.clock() + intervalMs;
    }
  }

  /** A change counts when two measurements agree; `unknown` is no change. */
  async #take(entry: Watched, { state, measuredAt }: PanelResources) {
    if (state === 'unknown' || measuredAt - entry.measuredAt < measureMs) return;
    entry.measuredAt = measuredAt;
    if (entry.state === null) {
      await this.#options.models.serverWatches.begin(entry.server.identifier, state);
      entry.state = state;
    } else if (state === entry.state) entry.candidate = null;
    else if (state !== entry.candidate) entry.candidate = state;
    else await this.#announce(entry, { from: entry.state, to: state, at: new Date(measuredAt) });
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

const unseen = { state: null, candidate: null, measuredAt: Number.NEGATIVE_INFINITY, isPending: false };
