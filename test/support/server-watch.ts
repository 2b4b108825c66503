/** A service with 300 servers of panel user 7, watches over them, and a clock that only a test moves. */
import { expect } from 'chai';
import type { Panel } from '../../routers/panel-port.ts';
import { ServerWatch } from '../../server/events/watch-servers.ts';
import type { TraceCall } from '../../server/panel/options.ts';
import { createPterodactylPanel } from '../../server/panel/pterodactyl.ts';
import { panelServer } from './panel/attributes.ts';
import { startTestService } from './service.ts';

const callsPerMinute = 120;
const serverCount = 300;
export const idOf = (index: number) => `server${String(index).padStart(3, '0')}`;

const log = { error: (fields: object) => expect.fail(String(Object.values(fields)[0])), warn: () => {} };
const endpoint = { url: 'https://example.com', format: 'standard', description: null } as const;

export async function startWatchedServers() {
  const service = await startTestService();
  const { models, panel } = service;
  let nowMs = Date.parse('2026-05-01T12:00:00Z');
  let latencyMs = 0;
  const clock = () => nowMs;
  panel.useClock(clock);
  const measuredAt: number[] = [];
  const watches: ServerWatch[] = [];
  const clients: Panel[] = [];
  const keepServers = (count: number) =>
    panel.servers.set(
      7,
      Array.from({ length: count }, (_, index) =>
        panelServer({ identifier: idOf(index), uuid: idOf(index), name: `Server ${index}` }),
      ),
    );
  keepServers(serverCount);
  const traceCall: TraceCall = async ({ api }, call) => {
    if (api === 'client') measuredAt.push(nowMs);
    const response = await call({});
    nowMs += latencyMs;
    return response;
  };
  return {
    service,
    /** The panel client of each watch. */
    clients,
    clock,
    measuredAt,
    keepServers,
    delayAnswers(ms: number) {
      latencyMs = ms;
    },
    startWatch(calls = callsPerMinute) {
      const client = createPterodactylPanel({ ...panel, kind: 'pterodactyl', clock, log, traceCall });
      clients.push(client);
      const { recordWatch: onWatch } = service.metrics;
      const watch = new ServerWatch({ models, panel: client, clock, callsPerMinute: calls, log, onWatch });
      watches.push(watch);
      return watch;
    },
    async subscribe(audience: 'customer' | 'host') {
      const owner = await service.addUser({ panelUserId: 7, isAdmin: audience === 'host' });
      const events = ['server.state_changed' as const];
      const added = { ...endpoint, userId: owner._id, audience, events };
      await models.transaction((session) => models.webhooks.add(added, new Date(), session));
      return owner;
    },
    async pass(seconds: number, ...watched: ServerWatch[]) {
      for (let step = 0; step < seconds * 2; step += 1) {
        nowMs += 500;
        for (const watch of watched) await watch.tick();
      }
    },
    /** Ends its time in MongoDB, too. */
    endLease: () =>
      service.connection
        .collection('server_watches')
        .updateOne({ holder: { $gt: '' } }, { $set: { leaseEndsAt: new Date(0) } }),
    measured: () => panel.requests.filter(({ path }) => path.endsWith('/resources')),
    events: () => service.connection.collection('webhook_events').find().toArray(),
    async stop() {
      for (const watch of watches) await watch.stop();
      await service.stop();
    },
  };
}
