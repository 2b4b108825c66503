/** Keeps what callers read about servers, so that charts show the last hour. Each process has its own samples. */
import { samplesMax } from '../../models/bounds.ts';
import { hourMs } from '../../models/support/durations.ts';
import { withSample } from '../../models/support/samples.ts';
import type { OwnedServer, Panel, PanelResources } from '../../routers/panel-port.ts';
import type { PlayersPort } from '../../routers/players-port.ts';
import type { Clock } from '../../routers/ports.ts';
import type { Sample, SamplesPort } from '../../routers/samples-port.ts';

interface Ports {
  panel: Panel;
  players: PlayersPort;
}

/** Returns the same ports, which also record what they read. */
export function recordSamples({ panel, players, clock }: Ports & { clock: Clock }) {
  const kept = new KeptSamples();
  const samples: SamplesPort = {
    list: (server) => kept.get(server).filter(({ at }) => at > clock() - hourMs),
  };
  const recordingPanel: Panel = {
    ...panel,
    async getResources(server, requestId) {
      const resources = await panel.getResources(server, requestId);
      kept.add(server, resources, true);
      return resources;
    },
    async getStates(servers, ...options) {
      const states = await panel.getStates(servers, ...options);
      for (const [index, server] of servers.entries()) kept.add(server, states[index], false);
      return states;
    },
  };
  const recordingPlayers: PlayersPort = {
    async get(server, waitMs) {
      const now = await players.get(server, waitMs);
      kept.addPlayers(server, now.online);
      return now;
    },
  };
  return { panel: recordingPanel, players: recordingPlayers, samples };
}

const none: readonly Sample[] = [];

/** The samples of each owner's servers. Maps keep the order of insertion, so the least recently used come first. */
class KeptSamples {
  readonly #owners = new Map<number, Map<string, readonly Sample[]>>();
  #serverCount = 0;

  /** By owner and uuid, so that a new owner, or a new server with an old identifier, starts without samples. */
  get({ ownerId, uuid }: OwnedServer): readonly Sample[] {
    return this.#owners.get(ownerId)?.get(uuid) ?? none;
  }

  /** @param isLookedAt whether only this server was read; it may then take the place of another of the owner's */
  add(server: OwnedServer, resources: PanelResources | undefined, isLookedAt: boolean): void {
    const before = this.get(server);
    // A list of states is cut off after seconds, so its unknown states are no measurements.
    if (!resources || (!isLookedAt && resources.state === 'unknown')) return;
    const { state, cpuPercent, memoryBytes, measuredAt: at } = resources;
    const samples = withSample(before, { at, state, cpuPercent, memoryBytes, playersOnline: null });
    if (samples !== before) this.#store(server, samples, isLookedAt);
  }

  /** Callers query a game after they have read its server, so the players belong to the last sample. */
  addPlayers(server: OwnedServer, playersOnline: number | null): void {
    const samples = this.get(server);
    const last = samples.at(-1);
    if (playersOnline === null || last?.state !== 'running' || last.playersOnline === playersOnline) return;
    this.#owners.get(server.ownerId)?.set(server.uuid, [...samples.slice(0, -1), { ...last, playersOnline }]);
  }

  #store({ ownerId, uuid }: OwnedServer, samples: readonly Sample[], isLookedAt: boolean): void {
    const ofOwner = this.#owners.get(ownerId) ?? new Map<string, readonly Sample[]>();
    const isFull = !ofOwner.has(uuid) && ofOwner.size >= samplesMax.serversOfOwner;
    if (isFull && !isLookedAt) return;
    this.#serverCount -= ofOwner.size;
    const [oldest = uuid] = ofOwner.keys();
    if (isLookedAt) ofOwner.delete(isFull ? oldest : uuid);
    ofOwner.set(uuid, samples);
    this.#serverCount += ofOwner.size;
    this.#owners.delete(ownerId);
    this.#owners.set(ownerId, ofOwner);
    this.#dropOldOwners();
  }

  #dropOldOwners(): void {
    for (const [ownerId, servers] of this.#owners) {
      if (this.#serverCount <= samplesMax.servers) return;
      this.#owners.delete(ownerId);
      this.#serverCount -= servers.size;
    }
  }
}
