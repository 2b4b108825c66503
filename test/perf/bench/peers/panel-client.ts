/** The panel as a hand-written service calls it: fetch, and each user's list kept for as long as our own service does. */
import type { LocatedServer, Panel, PowerSignal } from '../../../../routers/panel-port.ts';
import type { Config } from '../../../../server/config.ts';

const keptMs = 5000;

interface ServerList {
  attributes: { relationships: { servers: { data: { attributes: { identifier: string } }[] } } };
}

export type PanelReads = Pick<Panel, 'listServers' | 'getResources' | 'getStates' | 'listFiles' | 'readFile'>;

export interface PanelClient {
  findOwned(panelUserId: number, identifier: string, requestId: string): Promise<LocatedServer | null>;
  sendPower(server: LocatedServer, signal: PowerSignal, requestId: string): Promise<void>;
  /** Left out by the client that fetches alone. */
  reads?: PanelReads;
}

export function createPanelClient(panel: Config['panel']): PanelClient {
  if (!panel) throw new Error('PANEL_URL is required');
  const { url, applicationKey, clientKey } = panel;
  const kept = new Map<number, { identifiers: string[]; readAt: number }>();
  const read = async (panelUserId: number, requestId: string) => {
    const known = kept.get(panelUserId);
    if (known && Date.now() - known.readAt < keptMs) return known.identifiers;
    const response = await fetch(`${url}/api/application/users/${panelUserId}?include=servers`, {
      headers: {
        authorization: `Bearer ${applicationKey}`,
        accept: 'application/json',
        'x-request-id': requestId,
      },
    });
    const { attributes } = (await response.json()) as ServerList; // the panel of the bench has no other answer
    const identifiers = attributes.relationships.servers.data.map((server) => server.attributes.identifier);
    kept.set(panelUserId, { identifiers, readAt: Date.now() });
    return identifiers;
  };
  return {
    async findOwned(ownerId, identifier, requestId) {
      const isOwned = (await read(ownerId, requestId)).includes(identifier);
      const usual = { nodeId: null, acceptsCommandsWhenOff: false, status: null, isSuspended: false };
      return isOwned ? { identifier, ownerId, ...usual } : null;
    },
    async sendPower({ identifier }, signal, requestId) {
      const response = await fetch(`${url}/api/client/servers/${encodeURIComponent(identifier)}/power`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${clientKey}`,
          'content-type': 'application/json',
          'x-request-id': requestId,
        },
        body: JSON.stringify({ signal }),
      });
      if (response.status !== 204) throw new Error(`The panel answered ${response.status}`);
    },
  };
}
