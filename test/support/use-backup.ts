/** A service with one stopped server that has one backup, and the calls about that backup. */

import { createSendMessage, toolCall } from './mcp.ts';
import { panelBackup, panelServer } from './panel/attributes.ts';
import { resetPanel } from './server-owner.ts';
import { useOwner } from './use-key.ts';

export const id = 'a1b2c3d4';
export const uuid = '904df120-a66f-4b9d-8f30-2c1b7f8c0d3f';
export const pendingBackup = { completed_at: null, is_successful: false, checksum: null, bytes: 0 };

export const backupMissing = 'Backup not found';
export const panelRefusedMessage = (event: string, noun: string) =>
  `${event}, so the panel refused the ${noun}; a retry does not help until that has changed`;

export const path = `/servers/${id}/backups/${uuid}`;

export function useBackup(dialect: 'pterodactyl' | 'pelican', options: { isShared?: boolean } = {}) {
  const service = useOwner({
    rateLimitPerMinute: 1_000_000,
    dialect,
    ...options,
    panel: { retryDelayMs: 1, progressTtlMs: 50, failureThreshold: 1_000 },
  });
  beforeEach(() => {
    resetPanel(service, [panelServer({ identifier: id })]);
    service.panel.backups.set(id, [panelBackup({ uuid })]);
    service.panel.runStates.set(id, 'offline');
  });

  return {
    service,
    at: (method: string, rest = '', options: { body?: object; key?: string } = {}) =>
      service.call(method, `${path}${rest}`, { key: service.key, ...options }),
    callTool: (name: string, args: object) =>
      createSendMessage(service.url)(toolCall(name, args), { key: service.key }),
    clientCalls: () =>
      service.panel.requests
        .filter(({ path: asked }) => asked.startsWith('/api/client'))
        .map(({ method, path: asked }) => `${method} ${asked.replace(/.*\/servers\/[^/]+\//, '')}`),
    setServer(overrides: object) {
      service.panel.servers.set(7, [panelServer({ identifier: id, ...overrides })]);
      service.clock.advance(60_000);
    },
  };
}
