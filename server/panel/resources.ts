/** Converts the state and figures of a server, from the panel or its node, to frozen values of the port. */
import { z } from 'zod';
import { type PanelResources, runStates } from '../../routers/panel-port.ts';
import { type FailureKind, reasonOf, unknownStateReason } from './failures.ts';
import { parseBody } from './panel-api.ts';

const amount = z.number().nullable().catch(null);

const ofBoth = { memory_bytes: amount, cpu_absolute: amount, disk_bytes: amount, uptime: amount };

/** The event `stats` of a node's socket. */
export const NodeFigures = z.object({
  state: z.string(),
  ...ofBoth,
  network: z.object({ rx_bytes: amount, tx_bytes: amount }).catch({ rx_bytes: null, tx_bytes: null }),
});

export type NodeFigures = z.infer<typeof NodeFigures>;

const Stats = z.object({
  attributes: z.object({
    current_state: z.string(),
    resources: z.object({ ...ofBoth, network_rx_bytes: amount, network_tx_bytes: amount }),
  }),
});

export function parseResources(body: unknown, measuredAt: number): PanelResources {
  const { current_state, resources } = parseBody(Stats, body).attributes;
  const { network_rx_bytes: rx_bytes, network_tx_bytes: tx_bytes, ...figures } = resources;
  return toResources(current_state, { ...figures, network: { rx_bytes, tx_bytes } }, measuredAt);
}

type Figures = Omit<NodeFigures, 'state'>;

export function toResources(word: string, figures: Figures | null, measuredAt: number): PanelResources {
  const state = runStates.find((known) => known === word);
  if (state) return Object.freeze({ state, reason: null, ...toFigures(figures), measuredAt });
  // Pelican reports `missing` if the node did not answer.
  return unknownState(word === 'missing' ? reasonOf('node') : unknownStateReason, measuredAt);
}

export const unknownFor = (kind: FailureKind, measuredAt: number) => unknownState(reasonOf(kind), measuredAt);

export const unknownState = (reason: string, measuredAt: number): PanelResources =>
  Object.freeze({ state: 'unknown', reason, ...toFigures(null), measuredAt });

const toFigures = (figures: Figures | null) => ({
  memoryBytes: figures?.memory_bytes ?? null,
  cpuPercent: figures?.cpu_absolute ?? null,
  diskBytes: figures?.disk_bytes ?? null,
  networkRxBytes: figures?.network.rx_bytes ?? null,
  networkTxBytes: figures?.network.tx_bytes ?? null,
  uptimeMs: figures?.uptime ?? null,
});
