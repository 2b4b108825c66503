/** The connections to MongoDB as metrics, told by the driver's own events of its pools. */
import { Counter, Gauge, type Registry } from 'prom-client';

/** The part of the driver's client that is listened to (Connection Monitoring and Pooling). */
export interface PoolEvents {
  on(event: PoolEvent, listener: () => void): unknown;
}

type PoolEvent =
  | 'connectionCreated'
  | 'connectionClosed'
  | 'connectionCheckedOut'
  | 'connectionCheckedIn'
  | 'connectionCheckOutFailed';

export function measurePool(client: PoolEvents, registry: Registry): void {
  const registers = [registry];
  const open = new Gauge({ name: 'gamehost_mongodb_connections', help: 'Open connections.', registers });
  const busy = new Gauge({
    name: 'gamehost_mongodb_connections_busy',
    help: 'Connections with a call under way.',
    registers,
  });
  const failed = new Counter({
    name: 'gamehost_mongodb_checkout_failures_total',
    help: 'Calls that got no connection.',
    registers,
  });
  client.on('connectionCreated', () => open.inc());
  client.on('connectionClosed', () => open.dec());
  client.on('connectionCheckedOut', () => busy.inc());
  client.on('connectionCheckedIn', () => busy.dec());
  client.on('connectionCheckOutFailed', () => failed.inc());
}
