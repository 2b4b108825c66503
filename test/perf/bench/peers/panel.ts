/** A panel that costs next to nothing: every user owns twenty servers, which run and take every signal. */
import { createServer } from 'node:http';
import { panelServer } from '../../../../server/panel/demo/attributes.ts';
import { userWithServers } from '../../../../server/panel/demo/emulator.ts';
import { serverIdentifiersOf } from '../customers.ts';

const listPath = /^\/api\/application\/users\/(\d+)\?include=servers(\.allocations)?$/;

const runningServer = JSON.stringify({
  object: 'stats',
  attributes: {
    current_state: 'running',
    is_suspended: false,
    resources: {
      ...{ memory_bytes: 588_701_696, cpu_absolute: 12.34, disk_bytes: 130_156_361 },
      ...{ network_rx_bytes: 694_220, network_tx_bytes: 337_090, uptime: 86_400_000 },
    },
  },
});

const server = createServer((req, res) => {
  req.resume();
  const userId = Number(listPath.exec(req.url ?? '')?.[1] ?? 0);
  if (req.method === 'POST') return res.writeHead(204).end();
  const headers = { 'Content-Type': 'application/json' };
  if (req.url?.endsWith('/resources')) return res.writeHead(200, headers).end(runningServer);
  const servers = serverIdentifiersOf(userId).map((identifier) =>
    panelServer({ id: userId, identifier, user: userId }),
  );
  res.writeHead(200, headers).end(JSON.stringify(userWithServers(userId, servers)));
});

server.listen(Number(process.env['PORT']), '127.0.0.1');
