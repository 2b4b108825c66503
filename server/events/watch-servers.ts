/**
 * Watches the states of servers for webhooks that subscribe to `server.state_changed`. One process at a time does so,
 * by a lease, and spreads its panel calls evenly over the minute. Without a subscription it makes no calls.
 */
import type { Models } from '../../models/index.ts';
import { minuteMs } from '../../models/support/durations.ts';
import type { PanelLookupUser } from '../../models/user.ts';
import type { OwnedServer, Panel, PanelResources } from '../../routers/panel-port.ts';
import type { Clock } from '../../routers/ports.ts';
import { listServersOf } from '../../routers/servers/owned-server.ts';

const eventType = 'server.state_changed';
const tickMs = 500;
/** If the process dies, another takes over within a lease and one renewal interval. */
const leaseMs = 30_000;
const renewMs = 10_000;
/** The shortest intervals; with too few calls they grow. The panel also caches a measurement for 20 seconds. */
const listIntervalMs = minuteMs;
const measureIntervalMs = 20_000;
/** Measurements are due this much earlier: ticks may be late, and a call may wait for one to another server. */
const marginMs = 2 * tickMs;
/** The interval of measurements that confirm a new state. After two of them, the panel has measured again. */
const confirmMs = measureIntervalMs / 2 + tickMs;
/** One call looks for the user's external id, one for their e-mail address, and one reads the list. */
const callsOfLookup = 3;

interface ServerWatchOptions {
  models: Pick<Models, 'serverWatches' | 'users' | 'events' | 'destinations' | 'transaction'>;
  panel: Pick<Panel, 'findUserId' | 'listServers' | 'getStates'>;
  clock: Clock;
  callsPerMinute: number;
  log: { error(fields: object, message: string): void };
  onWatch?: ((figures: { servers: number; measurements: number }) => void) | undefined;
}

interface WatchedUser {
  user: PanelLookupUser;
  listDueAt: number;
  servers: readonly WatchedServer[];
}

interface WatchedServer {
  userId: number;
  server: OwnedServer;
  state: string | null;
  /** A new state that a second measurement has not confirmed yet. */
  candidate: { state: PanelResources['state']; seenAt: number } | null;
  dueAt: number;
}

export class ServerWatch {
  readonly #options: ServerWatchOptions;
  readonly #lease;
  readonly #callMs: number;
  #users = new Map<number, WatchedUser>();
  #leasedUntil = 0;
  #renewAt = 0;
  #usersAt = 0;
  #nextCallAt = 0;
  #nextListAt = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #running = new Set<Promise<void>>();

  constructor(options: ServerWatchOptions) {
    this.#options = options;
    this.#callMs = minuteMs / options.callsPerMinute;
    this.#lease = options.models.serverWatches.createLease(leaseMs);
  }

  start(): this {
    // Ticks do not wait for each other, so a slow node delays only its own measurement.
    this.#timer = setInterval(() => {
      const run = this.tick().finally(() => this.#running.delete(run));
      this.#running.add(run);
    }, tickMs).unref();
    return this;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
    if (this.#options.clock() < this.#leasedUntil) await this.#lease.release();
  }

  async tick(): Promise<void> {
    const now = this.#options.clock();
    try {
      if (now >= this.#renewAt) await this.#renew(now);
      // If the lease cannot be renewed, work continues until the lease ends: then another process may hold it.
      if (now < this.#leasedUntil) await Promise.all([this.#readOneList(now), ...this.#measureDue(now)]);
    } catch (error) {
      this.#leasedUntil = 0;
      this.#renewAt = now + renewMs;
      this.#options.log.error({ err: error }, 'Watching the servers failed; it will be retried');
    }
  }

  async #renew(now: number) {
    const { models, onWatch } = this.#options;
    this.#renewAt = now + renewMs;
    const ids = await models.destinations.listSubscribedCustomers(eventType);
    const isLeader = ids?.length !== 0 && (await this.#lease.takeOrRenew());
    // Another process may have measured in the meantime, so everything is read again.
    if (!isLeader || now >= this.#leasedUntil) {
      this.#users.clear();
      this.#usersAt = 0;
      onWatch?.({ servers: 0, measurements: 0 });
    }
    this.#leasedUntil = isLeader ? now + leaseMs : 0;
    if (!isLeader || now < this.#usersAt) return;
    // All users (null) are read only as often as a list.
    this.#usersAt = ids === null ? now + listIntervalMs : 0;
    const found = await models.users.listForPanelLookup(ids);
    this.#users = new Map(
      found.map((user) => {
        const known = this.#users.get(user._id);
        const isSame = known?.user.panelUserId === user.panelUserId;
        return [user._id, isSame ? Object.assign(known, { user }) : { user, listDueAt: 0, servers: [] }];
      }),
    );
  }

  /** Returns false if the next time slot for calls has not begun. */
  #take(calls: number, now: number): boolean {
    if (now < this.#nextCallAt) return false;
    // Slots unused before the last tick are lost.
    const from = this.#nextCallAt < now - tickMs ? now : this.#nextCallAt;
    this.#nextCallAt = from + calls * this.#callMs;
    return true;
  }

  async #readOneList(now: number) {
    const [due] = [...this.#users.values()].sort((one, other) => one.listDueAt - other.listDueAt);
    if (!due || due.listDueAt > now || now < this.#nextListAt) return;
    const calls = due.user.panelUserId === null ? callsOfLookup : 1;
    if (!this.#take(calls, now)) return;
    // Lists may use a tenth of the calls, or half while a list has never been read.
    this.#nextListAt = now + calls * this.#callMs * (due.listDueAt === 0 ? 2 : 10);
    due.listDueAt = now + listIntervalMs;
    const reader = { ...this.#options, requestId: this.#lease.own.holder };
    const listed = await listServersOf(reader, due.user, 'detail').catch(() => null);
    if (!listed) return;
    const known = new Map(due.servers.map((watched) => [watched.server.identifier, watched]));
    const newServer = { userId: due.user._id, state: null, candidate: null, dueAt: now };
    due.servers = listed.map((server) =>
      Object.assign(known.get(server.identifier) ?? { ...newServer }, { server }),
    );
    await this.#options.models.serverWatches.keep(listed.map(({ identifier }) => identifier));
  }

  #measureDue(now: number): Promise<void>[] {
    const servers = [...this.#users.values()].flatMap((user) => user.servers);
    const due = servers.filter(({ dueAt }) => dueAt <= now);
    due.sort((one, other) => one.dueAt - other.dueAt);
    const begun = due.filter(() => this.#take(1, now));
    this.#options.onWatch?.({ servers: servers.length, measurements: begun.length });
    const intervalMs = Math.max(measureIntervalMs, servers.length * this.#callMs);
    return begun.map((entry) => this.#measure(entry, now, intervalMs));
  }

  async #measure(entry: WatchedServer, now: number, intervalMs: number) {
    entry.dueAt = Number.POSITIVE_INFINITY;
    try {
      const [measured] = await this.#options.panel.getStates([entry.server], this.#lease.own.holder, 0);
      // While the panel's rate limit is used up, only measurements older than the panel's cache are available.
      if (measured && measured.measuredAt >= now - measureIntervalMs)
        await this.#compare(entry, measured, now);
    } finally {
      entry.dueAt = now + (entry.candidate ? confirmMs : intervalMs - marginMs);
    }
  }

  /** A change counts when two measurements agree. The state `unknown` never counts. */
  async #compare(entry: WatchedServer, { state, measuredAt }: PanelResources, startedAt: number) {
    if (state === 'unknown') return;
    entry.state ??= await this.#options.models.serverWatches.begin(entry.server.identifier, state);
    if (state === entry.state) entry.candidate = null;
    else if (state !== entry.candidate?.state) entry.candidate = { state, seenAt: this.#options.clock() };
    // A measurement that started earlier may have read the panel's cache.
    else if (startedAt - entry.candidate.seenAt >= measureIntervalMs) {
      await this.#announce(entry, { from: entry.state, to: state, at: new Date(measuredAt) });
      entry.state = state;
      entry.candidate = null;
    }
  }

  async #announce({ userId, server }: WatchedServer, change: { from: string; to: string; at: Date }) {
    const { models } = this.#options;
    const { identifier, name } = server;
    const { at, ...states } = change;
    const data = { server: { identifier, name }, ...states, measured_at: at.toISOString() };
    await models.transaction(async (session) => {
      if (await models.serverWatches.change(identifier, states, session))
        await models.events.record([{ type: eventType, userId, at, data }], session);
    });
  }
}
