/** Our own panel client below another framework. */
import type { Config } from '../../../../server/config.ts';
import { createLog } from '../../../../server/observability/log.ts';
import { openPanel } from '../../../../server/panel/open.ts';
import type { PanelClient } from './panel-client.ts';

export async function openOwnPanel(config: Config): Promise<PanelClient> {
  const { panel } = await openPanel(config.panel, { clock: Date.now, log: createLog(config.logLevel) });
  return {
    async owns(panelUserId, identifier, requestId) {
      const servers = await panel.listServers(panelUserId, requestId);
      return servers.some((server) => server.identifier === identifier);
    },
    sendPower: panel.sendPower,
    reads: panel,
  };
}
