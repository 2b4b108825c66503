/** Starts a demo panel for use when none is configured: an HTTP server on the loopback interface. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../routers/ports.ts';
import { createDemoApi } from './api.ts';

export interface DemoPanel {
  url: string;
  /** Both keys are new at each start. */
  applicationKey: string;
  clientKey: string;
  stop(): Promise<void>;
}

interface DemoPanelOptions {
  clock?: Clock;
  /** 0 picks a free one. */
  port?: number;
}

export async function startDemoPanel({
  clock = Date.now,
  port = 0,
}: DemoPanelOptions = {}): Promise<DemoPanel> {
  const keys = { applicationKey: createKey('ptla_'), clientKey: createKey('ptlc_') };
  const server = createDemoApi({ clock, ...keys }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://127.0.0.1:${address.port}`,
    ...keys,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const createKey = (prefix: string) => prefix + randomBytes(24).toString('base64url');
