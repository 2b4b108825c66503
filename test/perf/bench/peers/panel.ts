/** A panel that costs next to nothing: every user owns twenty servers, which run, take every signal and have the same files. */
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

/** As panels list them: without an order. */
const files = JSON.stringify({
  object: 'list',
  data: Array.from({ length: 20 }, (_, index) => ({
    object: 'file_object',
    attributes: {
      ...{ name: `plugin-${19 - index}.yml`, mode: '-rw-r--r--', mode_bits: '644', size: 2048 },
      ...{ is_file: true, is_symlink: false, mimetype: 'text/plain; charset=utf-8' },
      ...{ created_at: '2026-05-01T12:00:00+02:00', modified_at: '2026-05-01T12:00:00+02:00' },
    },
  })),
});

const textHeaders = { 'Content-Type': 'text/plain; charset=utf-8' };
const content = 'max-players=20\n'.repeat(137);

const server = createServer((req, res) => {
  req.resume();
  const userId = Number(listPath.exec(req.url ?? '')?.[1] ?? 0);
  if (req.method === 'POST') return res.writeHead(204).end();
  const headers = { 'Content-Type': 'application/json' };
  if (req.url?.endsWith('/resources')) return res.writeHead(200, headers).end(runningServer);
  if (req.url?.includes('/files/list?')) return res.writeHead(200, headers).end(files);
  if (req.url?.includes('/files/contents?')) return res.writeHead(200, textHeaders).end(content);
  // Each customer's on a machine of their own, of which at most two are asked at once.
  const servers = serverIdentifiersOf(userId).map((identifier) =>
    panelServer({ id: userId, identifier, user: userId, node: userId }),
  );
  res.writeHead(200, headers).end(JSON.stringify(userWithServers(userId, servers)));
});

server.listen(Number(process.env['PORT']), '127.0.0.1');
